project
table Table
table Other
cook determinism --vary umask --package /Game/Table -q && echo clean
cook determinism --vary umask --package /Game/Table --json document.json -q
"$COOK_PYTHON" - <<'PYTHON'
import json

document = json.load(open("document.json", encoding="utf-8"))
print(document["schema"], document["summary"]["packages"], document["findings"])
print([p["tried"] for p in document["perturbations"] if p["name"] == "umask"])
PYTHON
