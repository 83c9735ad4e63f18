project
table Table
cook report show || true
cook report bundle a b || true
cook report show 0123 || true
quietly cook full
quietly cook incremental-validate
cook report bundle xyz
