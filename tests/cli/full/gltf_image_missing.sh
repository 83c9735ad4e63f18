project
gltf Content/Triangle.gltf Paint.png
cook full
