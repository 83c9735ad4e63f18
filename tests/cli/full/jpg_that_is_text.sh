project
mkdir -p Content
echo 'not a picture' >Content/Photo.jpg
cook full
