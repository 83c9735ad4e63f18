mkdir -p game/Docs game/Stuff
touch game/Docs/readme.txt
png game/Stuff/A.png
cook init game
cook full -C game
