project
table Table
ln -s nowhere.png Content/Gone.png
gltf Content/Triangle.gltf Gone.png
cook full
