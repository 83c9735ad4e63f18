cook reproduce --help
