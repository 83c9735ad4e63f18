project
table Table
quietly cook full
cook explain why /Game/Gone
