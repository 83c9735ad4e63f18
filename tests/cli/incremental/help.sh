cook incremental --help
