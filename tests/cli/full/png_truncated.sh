project
png Content/Red.png
png whole.png 64 64
head -c 60 whole.png >Content/Cut.png
: >Content/Empty.png
cook full
