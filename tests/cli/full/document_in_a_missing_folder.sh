project
table Table
cook full --json nowhere/full.json
