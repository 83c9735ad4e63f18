cook init --help
