project
table Table
cook determinism --against-store --vary umask || echo "exit $?"
quietly cook full
cook determinism --against-store --vary umask -q && echo "as it was kept"
