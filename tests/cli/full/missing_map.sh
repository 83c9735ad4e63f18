project '+Map=/Game/Maps/Gone'
table Table
cook full
