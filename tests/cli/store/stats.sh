project
table Table
table Other
quietly cook full
cook store stats | grep -E '^(packages|results|files|folders|cooks|operations) '
