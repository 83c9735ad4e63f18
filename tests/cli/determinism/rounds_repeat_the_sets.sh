project
table Table
table Other
cook determinism --vary umask,order --rounds 5 --workers 1 | grep -vE 'not tried:'
