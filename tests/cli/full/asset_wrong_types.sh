project
object() { # NAME CLASS PROPERTIES
    printf '{ "objects": [ { "name": "O", "class": "/Script/Cook.%s",\n  "properties": %s } ] }\n' \
        "$2" "$3" | asset "$1"
}
object Array World '{ "Actors": 5 }'
object Bool Texture2D '{ "SRGB": "yes" }'
object Bytes Texture2D '{ "Source": "!!!" }'
object Element Material '{ "Textures": [ { "Slot": "Normal" },
      { "Slot": 7 } ] }'
object Enum Texture2D '{ "Usage": "Color4" }'
object Integer Texture2D '{ "MaxSize": -1 }'
object Map DataTable '{ "Rows": [] }'
object Number Material '{ "Roughness": "rough" }'
object Reference Material '{ "Shader": "/Game/Lit.frag" }'
object Soft Material '{ "Shader": { "$soft": "/Game/Lit.frag" } }'
object Struct Material '{ "BaseColor": 1 }'
object Value DataTable '{ "Columns": [ { "Name": "A" } ], "Rows": { "First": { "Cells": [ 1 ] } } }'
cook full
