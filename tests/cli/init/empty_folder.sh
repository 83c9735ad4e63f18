mkdir game
cook init game
cat game/cook.ini
cook full -C game
