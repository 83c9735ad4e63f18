project
mkdir Plugins
echo 'this is text' >Plugins/game.so
echo '+Plugin=Plugins/game.so' | sed -i '2r /dev/stdin' cook.ini
cook full
