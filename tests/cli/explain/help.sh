cook explain --help
