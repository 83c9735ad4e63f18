project '+Map=/Game/Level'
sed -i /AlwaysCook/d cook.ini
table Unused
level Sub
asset Level <<'JSON'
{ "objects": [ { "name": "World", "class": "/Script/Cook.World", "properties": {
    "SubLevels": [ { "$soft": "/Game/Sub" }, { "$soft": "/Game/Gone" } ] } } ] }
JSON
cook incremental
cook store list | hide_hashes
