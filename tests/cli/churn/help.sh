cook churn --help
