cook nightly --help
