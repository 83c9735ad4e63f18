cook full --help
