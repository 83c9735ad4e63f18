cook doctor --help
