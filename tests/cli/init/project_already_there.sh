project
cook init
