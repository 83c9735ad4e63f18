project
table Table
quietly cook full
cook store list --target Handheld
