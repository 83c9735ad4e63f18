project
echo "no archive" >file.tar.zst
cook reproduce file.tar.zst
