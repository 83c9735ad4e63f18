project
table Table
cook full -q
