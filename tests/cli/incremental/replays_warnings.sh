project
level Level /Game/Gone
cook full
cook incremental
