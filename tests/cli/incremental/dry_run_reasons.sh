project '[Texture]' 'MaxSize=64'
table Changed
table Forgotten
png Content/Red.png
png Content/Side.png
level Level /Game/New
level Other /Game/Changed
echo '{' | asset Broken
quietly cook full 2>/dev/null || true
table Changed 'other text'
table New
echo '{ "Usage": "Data" }' >Content/Side.png.cook
cook store forget /Game/Forgotten
sed -i 's/MaxSize=64/MaxSize=32/' cook.ini
cook incremental --dry-run | hide_hashes
