project
table Data/Table
png Content/Red.png
glb Content/Triangle.glb
cook full
