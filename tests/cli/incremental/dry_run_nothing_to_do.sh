project
table Table
quietly cook full
cook incremental --dry-run
