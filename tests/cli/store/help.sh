cook store --help
