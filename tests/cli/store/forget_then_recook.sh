project
table Table
table Other
quietly cook full
cook store forget /Game/Table
cook incremental
