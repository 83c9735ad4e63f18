cook full --workers 1000
