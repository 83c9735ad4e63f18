project
table Table
png Content/Red.png
quietly cook full
touch Content/Table.asset Content/Red.png
cook incremental
