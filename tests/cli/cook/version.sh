cook --version
