project
table Table 'the text of the cell'
table Other
quietly cook full
flip() { # FILE TEXT: change a byte where the text is
    local at
    at=$(grep -a -b -o "$2" "$1" | head -n 1 | cut -d: -f1)
    printf 'X' | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}
flip Saved/Cook/Desktop/blobs/* 'the text of the cell'
cook store verify | hide_hashes
