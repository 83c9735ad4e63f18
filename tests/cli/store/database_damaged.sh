project
table Table
quietly cook full
rm -f Saved/Cook/Desktop/cook.db-wal Saved/Cook/Desktop/cook.db-shm
head -c 5000 /dev/zero | tr '\0' 'x' | dd of=Saved/Cook/Desktop/cook.db conv=notrunc status=none
cook incremental
