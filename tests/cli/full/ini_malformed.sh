mkdir Content
printf '[Project]\nName=Test\ncontent in Content\n' >cook.ini
cook full
