#!/usr/bin/env python3
"""Say whether a night went as it was planned.

    check.py cook JSON [+PACKAGE | -PACKAGE]…    PACKAGE was cooked (+), was not (-)
    check.py findings JSON [VERDICT:CAUSE:PACKAGE…]
                                                 exactly these, each with a command that reproduces it

Exit status 0 when it did, 1 when it did not, 2 when the document cannot be read.
"""
import json
import sys


def cook(document, wanted):
    cooked = {p["name"] for p in document["packages"] if p["result"] not in ("skipped", "skip")}
    wrong = []
    for entry in wanted:
        name = entry[1:]
        if entry[0] == "+" and name not in cooked:
            wrong.append(f"{name} was to be cooked and was not")
        if entry[0] == "-" and name in cooked:
            wrong.append(f"{name} was cooked without need")
    return wrong


def findings(document, wanted):
    found = {f["package"]: f for f in document["findings"]}
    wanted = {package: (verdict, cause)
              for verdict, cause, package in (entry.split(":") for entry in wanted)}
    wrong = [f"no finding for {name}" for name in wanted if name not in found]
    for name, finding in sorted(found.items()):
        causes = [cause["kind"] for cause in finding["causes"]]
        if name not in wanted:
            wrong.append(f"unplanned finding: {finding['verdict']} in {name}")
        elif (finding["verdict"], causes[:1]) != (wanted[name][0], [wanted[name][1]]):
            wrong.append(f"{name}: expected {' '.join(wanted[name])}, "
                         f"got {finding['verdict']} {' '.join(causes)}")
        elif not finding["fix"] or finding["id"] not in finding["reproduce"]:
            wrong.append(f"{name}: no fix, or no command that reproduces it")
    return wrong


def main():
    checks = {"cook": cook, "findings": findings}
    if len(sys.argv) < 3 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    try:
        with open(sys.argv[2], encoding="utf-8") as file:
            document = json.load(file)
        wrong = checks[sys.argv[1]](document, sys.argv[3:])
    except (OSError, ValueError, KeyError) as fault:
        print(f"check: cannot read {sys.argv[2]}: {fault!r}", file=sys.stderr)
        return 2
    print("NOT AS PLANNED:" if wrong else "as planned")
    for line in wrong:
        print(f"    {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
