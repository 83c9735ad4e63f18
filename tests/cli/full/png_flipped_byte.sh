project
png Content/Red.png
printf '\377' | dd of=Content/Red.png bs=1 seek=45 conv=notrunc status=none
cook full
