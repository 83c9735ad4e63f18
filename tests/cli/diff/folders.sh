mkdir -p old/deep new/deep
echo same | tee old/same >new/same
echo one >old/deep/file
echo two >new/deep/file
echo more >new/more
ln -s deep new/link
echo same >old/.cook-stage
cook diff old new
