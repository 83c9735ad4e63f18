mkdir old new
echo more >new/more
cook diff --stat old new
