project
rm -r Content
mkdir Content
cook full
