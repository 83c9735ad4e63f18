project
gltf whole.gltf
sed -E 's/data:[^"]*/triangle.bin/' whole.gltf >Content/Triangle.gltf
cook full
