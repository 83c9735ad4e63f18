project
table Table
cook incremental --dry-run
