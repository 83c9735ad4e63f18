cook full --progress sometimes
