project '+NeverCook=/Game/Dev/*'
table Table
table Dev/Table
level Level /Game/Table.Table /Game/Dev/Table.Table
quietly cook full 2>/dev/null || true
cook explain not-cooked /Game/Table
cook explain not-cooked /Game/Dev/Table
rm Content/Table.asset
cook explain not-cooked /Game/Table
cook explain not-cooked
