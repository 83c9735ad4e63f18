cook stage --help
