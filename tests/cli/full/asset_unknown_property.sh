project
asset Material <<'JSON'
{ "objects": [ { "name": "Material", "class": "/Script/Cook.Material", "properties": {
    "Roughnes": 0.5,
    "Textures": [ { "Slot": "Normal" }, { "Slott": "Normal" } ] } } ] }
JSON
cook full
