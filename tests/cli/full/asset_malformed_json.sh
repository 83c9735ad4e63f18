project
table Good
printf '{ "objects": [\n    { "name": "A" "class": "/Script/Cook.World" } ] }\n' | asset Bad
cook full
