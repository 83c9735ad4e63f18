project
table Table
level Level /Game/Table /Game/Gone /Game/Table.Gone
cook full
