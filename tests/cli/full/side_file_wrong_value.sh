project
png Content/Red.png
printf '{\n  "Usage": "Dato" }\n' >Content/Red.png.cook
cook full
