project
table Table
cook full --map /Game/Maps/Gone
