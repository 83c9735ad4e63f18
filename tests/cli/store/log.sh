project
table Table
table Other
quietly cook full --workers 1
echo '{' >Content/Other.asset
quietly cook incremental 2>/dev/null || true
cook store forget /Game/Table
cook store log
