project
png Content/Red.png
printf '{ "Usage": "Data",\n  "SRGB": \n' >Content/Red.png.cook
cook full
