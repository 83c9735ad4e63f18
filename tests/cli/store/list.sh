project
table Table
level Level /Game/Table
quietly cook full
cook store list | hide_hashes
