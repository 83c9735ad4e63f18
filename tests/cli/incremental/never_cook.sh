project '+NeverCook=/Game/Dev/*'
table Dev/Scratch
table Table
level Level /Game/Dev/Scratch
cook incremental
cook store list | hide_hashes
