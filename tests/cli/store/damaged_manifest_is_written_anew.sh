project
table Table
quietly cook full
# The manifest names the package; so does its cooked form, which is the first.
segment=Saved/Cook/Desktop/blobs/seg-000001.blob
at=$(grep -a -b -o '/Game/Table' "$segment" | tail -n 1 | cut -d: -f1)
printf 'X' | dd of="$segment" bs=1 seek="$at" conv=notrunc status=none
cook store list 2>&1 | hide_hashes || true
cook store verify | hide_hashes || true
cook incremental
cook store verify
cook store list | hide_hashes
