cook determinism --list
