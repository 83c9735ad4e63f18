project
table Table
cook full -v --progress never
