project
png Content/Red.png
echo '{ "Sharpen": true, "Objects": { "Blue": {} } }' >Content/Red.png.cook
cook full
