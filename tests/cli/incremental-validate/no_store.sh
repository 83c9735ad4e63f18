project
table Table
cook incremental-validate
