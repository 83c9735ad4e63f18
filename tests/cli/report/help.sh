cook report --help
