project
mkdir Shared
png Shared/Red.png
ln -s ../Shared/Red.png Content/Link.png
ln -s ../Shared Content/Folder
cook full
cook store list | hide_hashes
