# Content alone: a project is made around it; times are no matter here.
mkdir -p steps/base steps/history/0001/files steps/history/0002
project
table A one
table B
mv Content/*.asset steps/base
table A two
mv Content/A.asset steps/history/0001/files
echo B.asset >steps/history/0002/DELETED
cd steps
cook churn . --work ../work --compare 2>/dev/null | sed -E -e 's/ +[0-9]+\.[0-9]/ T/g' -e 's/^Churn: .*/Churn/'
