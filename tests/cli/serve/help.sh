cook serve --help
