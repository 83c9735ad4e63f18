cook --help
