project
table Table
quietly cook full
index=Saved/Cook/Desktop/index.bin
at=$(grep -a -b -o 'Table.asset' "$index" | head -n 1 | cut -d: -f1)
printf 'X' | dd of="$index" bs=1 seek="$at" conv=notrunc status=none
cook store verify || true
cook incremental
cook store verify
