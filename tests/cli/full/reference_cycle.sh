project
level A /Game/B
level B /Game/C /Game/A
level C /Game/A /Game/C
cook full
