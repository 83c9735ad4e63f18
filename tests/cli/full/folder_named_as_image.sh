project
mkdir -p Content/Folder.png
table Folder.png/Table
cook full
