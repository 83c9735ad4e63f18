project
table One
table Two
cook incremental-compare
table Two another
cook incremental-compare --stat
