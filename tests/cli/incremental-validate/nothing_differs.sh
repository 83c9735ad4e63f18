project
table Table
png Content/Red.png
quietly cook full
cook incremental-validate
