cook determinism --help
