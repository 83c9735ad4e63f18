project
level Level /Game/Later
quietly cook full 2>/dev/null
table Later
cook incremental
