cook resave --help
