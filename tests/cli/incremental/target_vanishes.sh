project
table Table
level Level /Game/Table
quietly cook full
rm Content/Table.asset
cook incremental
