project
cook store list
