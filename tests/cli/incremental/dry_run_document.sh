project
table Table
table Other
quietly cook full
table Table 'other text'
cook incremental --dry-run --json plan.json | hide_hashes
sed -E -e 's/("seconds":\t)[0-9.e-]+/\1SECONDS/' -e 's/("key":\t)"[0-9a-f]{32}"/\1"KEY"/' plan.json
