cook full
