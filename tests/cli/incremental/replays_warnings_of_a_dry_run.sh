project
level Level /Game/Gone
quietly cook full 2>/dev/null
cook incremental --dry-run
