project
echo '+Plugin=Plugins/none' | sed -i '2r /dev/stdin' cook.ini
cook full
