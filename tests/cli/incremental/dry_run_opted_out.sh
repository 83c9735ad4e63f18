project '[Incremental]' '+ClassDenyList=/Script/Cook.DataTable'
table Table
quietly cook full
cook incremental --dry-run
