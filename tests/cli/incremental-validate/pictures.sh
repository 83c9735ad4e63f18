# A texture that differs is written as a picture of both versions and of where they differ.
export LD_LIBRARY_PATH=$PWD/lib
mkdir lib
cp "$COOK_BUILD/tests/integration/libcatalogue_third_1.so" lib/libthird.so
cp "$COOK_BUILD/tests/integration/catalogue_before.so" plugin.so
project '[Incremental]' '+ClassScriptPackageAllowList=<ProjectRoot>' '[Project]' '+Plugin=plugin.so'
asset Sky <<JSON
{ "objects": [ { "name": "S", "class": "/Script/Catalogue.Picture", "properties": {} } ] }
JSON
table Words
CATALOGUE_SHADE=1 quietly cook full
CATALOGUE_SHADE=12345 cook incremental-validate --no-trace --pictures shown --json found.json >found.txt ||
    test $? = 1
grep -e '^false skip' -e 'S:Mips' -e picture found.txt
"$COOK_PYTHON" -c 'import json; print(json.load(open("found.json"))["findings"][0]["pictures"])'
for picture in shown/*; do # width and height
    echo "$picture $(od -A n -t x1 -j 16 -N 8 "$picture")"
done
cook report html -q --output page.html # takes them in
grep -o 'data:image/png;base64,' page.html | sort | uniq -c | sed 's/^ *//'
cook incremental-validate --finding 0123 --pictures shown
