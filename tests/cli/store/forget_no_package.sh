project
table Table
quietly cook full
cook store forget /Game/Gone
