project
echo '{ "objects": [ { "name": "Lamp", "class": "/Script/Game.Lamp" } ] }' | asset Lamp
cook full
