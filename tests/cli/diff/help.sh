cook diff --help
