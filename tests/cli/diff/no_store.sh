project
cook diff . .
