project
gltf whole.gltf
sed 's/"count": 3/"count": 300/' whole.gltf >Content/Accessor.gltf
sed 's/"mesh": 0/"mesh": 9/' whole.gltf >Content/Node.gltf
sed 's/base64,/base64,%%%/' whole.gltf >Content/Buffer.gltf
head -c 100 whole.gltf >Content/Text.gltf
cook full
