project '[Incremental]' '+ClassDenyList=/Script/Cook.DataTable'
table Table
png Content/Red.png
quietly cook full
cook incremental
