project
png Content/Rock.png
table Rock.png
gltf Content/Rock.gltf Rock.png
cook full
