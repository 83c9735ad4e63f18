# Nothing was found yet; then an id that is not there.
project
table Table
cook reproduce 0123 || true
quietly cook full
quietly cook incremental-validate
cook reproduce 0123
