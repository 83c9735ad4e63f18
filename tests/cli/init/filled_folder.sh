mkdir game
cd game
mkdir -p Content/Textures Content/.hidden
touch Content/notes.txt
table Table
png Content/Textures/A.png
png Content/Textures/B.PNG
png Content/.hidden/C.png
echo '{}' >Content/Textures/A.png.cook
glb Content/Triangle.glb
cook init
cook full
