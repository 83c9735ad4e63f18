project 'Shipping=true' '+DevelopmentCook=/Game/Debug/*'
sed -i 's|/Game/\*$|/Game/L*|; s|DevelopmentCook=/Game/L\*|DevelopmentCook=/Game/Debug/*|' cook.ini
table Old
table Debug/Console
level Level /Game/Old /Game/Debug/Console
asset Label <<JSON
{ "objects": [ { "name": "Label", "class": "/Script/Cook.PrimaryAssetLabel", "properties": {
    "Rule": "NeverCook", "Assets": [ { "\$soft": "/Game/Old" } ] } } ] }
JSON
cook incremental
# Said again of a package that is skipped: it holds as long as the rule does.
cook incremental
# Without the rules there is nothing to say.
rm Content/Label.asset
cook incremental --ini Cook.Shipping=false
