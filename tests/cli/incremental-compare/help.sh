cook incremental-compare --help
