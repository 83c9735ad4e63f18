project
table Table
quietly cook full
cook store cat
