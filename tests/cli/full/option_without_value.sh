cook full --json
