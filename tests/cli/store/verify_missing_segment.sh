project
table Table
quietly cook full
rm Saved/Cook/Desktop/blobs/*
cook store verify | hide_hashes || true
cook incremental
cook store verify
