project
table Table
level Near /Game/Table.Table
level Far /Game/Near.World
quietly cook full
cook explain chain /Game/Far /Game/Table
cook explain chain /Game/Table /Game/Far
cook explain chain /Game/Far
