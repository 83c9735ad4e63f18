project
echo '{' | asset Broken
cook full || true
cook incremental || true
table Broken
cook incremental
