project
table Table
quietly cook full
# Another content under the same times: only --rehash can see it.
touch -r Content/Table.asset times
sed -i 's/text/TEXT/' Content/Table.asset
touch -r times Content/Table.asset
cook incremental --rehash
