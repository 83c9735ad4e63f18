project
table Table
table Other
quietly cook full
table Table 'other text'
cook incremental-validate
