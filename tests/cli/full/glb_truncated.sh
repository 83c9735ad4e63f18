project
glb whole.glb
head -c 600 whole.glb >Content/Cut.glb
head -c 10 whole.glb >Content/Head.glb
cook full
