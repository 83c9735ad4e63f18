project
png Content/Rock.png
table Rock.png
cook full
