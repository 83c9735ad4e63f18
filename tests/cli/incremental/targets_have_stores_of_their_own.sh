project
table Table
quietly cook full
cook incremental --target Handheld
cook incremental --target Desktop
