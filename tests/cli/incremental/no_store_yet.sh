project
table Table
cook incremental
