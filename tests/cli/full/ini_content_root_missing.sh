printf '[Project]\n+ContentRoot=/Game=Contents\n' >cook.ini
cook full
