# A variable that the class reads by itself, and that changes: the cause, and how to declare it.
export LD_LIBRARY_PATH=$PWD/lib
mkdir lib
cp "$COOK_BUILD/tests/integration/libcatalogue_third_1.so" lib/libthird.so
cp "$COOK_BUILD/tests/integration/catalogue_before.so" plugin.so
project '[Incremental]' '+ClassScriptPackageAllowList=<ProjectRoot>' '[Project]' '+Plugin=plugin.so'
for class in Environment HiddenConfig; do
    asset "$class" <<JSON
{ "objects": [ { "name": "S", "class": "/Script/Catalogue.$class", "properties": {} } ] }
JSON
done
CATALOGUE_PLAIN=one quietly cook full --ini Catalogue.Hidden=1
# Lines of the plugin's source are no matter here, and a build with sanitizers sees no undeclared inputs.
CATALOGUE_PLAIN=two cook incremental-validate --ini Catalogue.Hidden=2 |
    sed -E -e 's/(\.c):[0-9]+/\1/' -e '/^[0-9]+ undeclared inputs;/d'
