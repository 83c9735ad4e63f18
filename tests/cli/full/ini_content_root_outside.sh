mkdir project
printf '[Project]\n+ContentRoot=/Game=../project\n' >project/cook.ini
cook full -C project
