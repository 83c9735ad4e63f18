project
table Table
png Content/Red.png
quietly cook full
cook stage --loose out
find out -type f | LC_ALL=C sort
