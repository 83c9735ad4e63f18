project
table A
table B
quietly cook full
cook full
