project '+Map=/Game/Maps/Gone'
sed -i /AlwaysCook/d cook.ini
table Table
level Level /Game/Table
table Other
cook full --map /Game/Level
