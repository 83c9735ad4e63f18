cook incremental-validate --help
