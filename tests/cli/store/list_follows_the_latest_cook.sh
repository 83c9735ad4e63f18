project
table Table
table Old
quietly cook full
rm Content/Old.asset
table New
quietly cook incremental
cook store list | hide_hashes
