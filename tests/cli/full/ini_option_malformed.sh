project
cook full --ini Cook
