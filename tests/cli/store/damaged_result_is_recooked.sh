project
table Table 'the text of the cell'
table Other
quietly cook full
segment=Saved/Cook/Desktop/blobs/seg-000001.blob
at=$(grep -a -b -o 'the text of the cell' "$segment" | head -n 1 | cut -d: -f1)
printf 'X' | dd of="$segment" bs=1 seek="$at" conv=notrunc status=none
cook store cat /Game/Table 2>&1 | hide_hashes || true
cook store verify | hide_hashes || true
cook incremental --dry-run
cook incremental
cook store verify
cook store cat /Game/Table | grep -a -o 'the text of the cell'
