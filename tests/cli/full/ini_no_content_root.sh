echo '[Project]' >cook.ini
cook full
