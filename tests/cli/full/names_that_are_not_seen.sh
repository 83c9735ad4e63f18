# Names that would turn the text around them: each verb shows them as escapes.
project
name=$'\u202egnp.exe'
table "$name" one
printf '{' | asset $'Broken\u2066'
cook full || true
table "$name" three
cook incremental --dry-run | hide_hashes
cook incremental -q || true
{ cook diff .:1 .:latest || true; } | grep -a '^modified'
cook explain why "/Game/$name" | head -n 3
cook store forget "/Game/none$name" || true
cook full --json - 2>/dev/null | grep '"name"'
