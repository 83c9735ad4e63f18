project
table Table
quietly cook full
quietly cook full
cook diff .:1 .
