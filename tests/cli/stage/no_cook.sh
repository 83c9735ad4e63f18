project
table Table
cook stage out
