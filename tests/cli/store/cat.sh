project
table Table 'the text of the cell'
quietly cook full
cook store cat /Game/Table >cooked
head -c 8 cooked | od -An -c
grep -a -o 'the text of the cell' cooked
