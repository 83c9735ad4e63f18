touch file
cook init file
