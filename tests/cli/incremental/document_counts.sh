project '+Map=/Game/Maps/Gone'
table Table
table Other
quietly cook full 2>/dev/null || true
table Table 'other text'
table New
echo '{' | asset Broken
cook incremental --json cook.json || status=$?
"$COOK_PYTHON" - <<'PYTHON'
import json
document = json.load(open("cook.json"))
summary = document["summary"]
assert summary.pop("seconds") > 0
print(document["schema"], document["project"], document["target"], document["dry_run"])
print(summary, document["exit_statuses"])
for package in document["packages"]:
    print(sorted(package), package["name"], package["result"], package["reason"],
          len(package["key"]), package["bytes"] > 0, package["seconds"] > 0)
PYTHON
exit "$status"
