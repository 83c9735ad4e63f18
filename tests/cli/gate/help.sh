cook gate --help
