project
echo '{ "objects": [] }' | asset Bad
echo '[]' | asset List
echo '{ "objects": [ { "class": "/Script/Cook.World" } ] }' | asset Nameless
echo '{ "objects": [ { "name": "A/B", "class": "/Script/Cook.World" } ] }' | asset Slash
: | asset Empty
cook full
