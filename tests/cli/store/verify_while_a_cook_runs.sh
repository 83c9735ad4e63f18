project
table Table 'the text of the cell'
quietly cook full
segment=Saved/Cook/Desktop/blobs/seg-000001.blob
at=$(grep -a -b -o 'the text of the cell' "$segment" | head -n 1 | cut -d: -f1)
printf 'X' | dd of="$segment" bs=1 seek="$at" conv=notrunc status=none
held_by_a_cook cook store verify | hide_hashes
