#!/usr/bin/env python3
"""Documents of validations for the tests of reports.

    documents.py small|hostile|COUNT    writes one to standard output; COUNT: with that many findings
"""
import json
import sys

VERDICTS = ("false_skip", "indeterminate", "both", "vanished_replay")
STATES = ("new", "known", "masked", "gone")

# What a name, a value or a message may hold when it comes from a project of somebody else.
HOSTILE = (
    "</script><script>window.hurt=1</script>",
    "<img src=x onerror=window.hurt=1>",
    "--></style><!--",
    "\u202egnp.exe\u2066 bidi \u2069",
    "bell\u0007 escape\u001b[31mred nul\u2400 del\u007f",
    "line\nbreak\ttab\rreturn\u2028separator",
    "javascript:window.hurt=1",
    "&amp; &lt; \"quotes\" 'single' `tick` ${window.hurt=1} {{1}} @DATA@",
    "[x](javascript:alert(1)) | ]]> %s %n \\",
    "\uffff\ufffe \U0001f600",
    "n" * 10240,
)


def frame(text, line=12):
    return {"function": f"save_{text}", "file": f"Plugins/{text}.c", "line": line, "module": f"{text}.so",
            "build_id": "00ff", "offset": 4096, "inlined": False}


def difference(text, number):
    return {"object": text, "property": f"{text}:Value{number}", "section": "data", "old_offset": 8,
            "new_offset": 8, "old_hex": "00 00 [01] 00", "new_hex": "00 00 [02] 00", "old_value": f"{text} old",
            "new_value": f"{text} new", "old_stack": [], "new_stack": [frame(text)],
            "consequence_of": None if number == 0 else 0, "class": "meaning", "same_meaning": None}


def finding(number, text, class_name="/Script/Test.Thing", differences=2):
    verdict = VERDICTS[number % len(VERDICTS)]
    causes = [{"kind": "undeclared_input", "what": f"file {text}.txt is read behind the SDK's back",
               "confidence": "changed", "evidence": [f"{text} changed"], "inputs": [], "stack": [frame(text)]}]
    return {"id": f"{number:016x}", "rule": verdict, "package": f"/Game/{text}", "property": f"{text}:Value",
            "classes": [class_name], "verdict": verdict, "state": STATES[number // 4 % len(STATES)],
            "reason": "", "seen": True, "group": f"save_{text} ({text}.c:12)", "owner": None,
            "first_seen": f"2026-01-{1 + number % 28:02}T00:00:00Z", "causes": causes if number % 3 else [],
            "fix": f"declare {text}" if number % 3 else None,
            "differences": [difference(text, i) for i in range(differences)], "dropped_differences": 0,
            "unstable": [], "kept": {"cook": 1, "key": "00", "bytes": "11"}, "detail": text if number % 2 else "",
            "notes": text if number % 5 == 4 else "", "reproduce": f"cook reproduce {number:016x}"}


def document(findings, project="Test", target="Desktop"):
    def having(key, value):
        return sum(f[key] == value for f in findings)
    summary = {"packages": len(findings) + 50, "skippable": len(findings) + 40, "modified": 10,
               "validated": len(findings) + 40, "false_skips": having("verdict", "false_skip"),
               "indeterminate": having("verdict", "indeterminate"), "both": having("verdict", "both"),
               "failed": 1, "vanished_replays": having("verdict", "vanished_replay"),
               **{state: having("state", state) for state in STATES}, "seconds": 12.5}
    return {"schema": "cookproof/incremental-validate/1", "project": project, "target": target,
            "allow_write": False, "started": "2026-02-03T04:05:06Z", "content_revision": "c0ffee",
            "code_revision": "f00d", "summary": summary, "exit_statuses": [], "findings": findings, "groups": [],
            "tracing": {"complete": True, "partial": None, "dropped": 0}, "inputs": [], "input_exceptions": []}


def small():
    return document([finding(i, f"Name{i}") for i in range(16)])


def hostile():
    text = HOSTILE[0]
    return document([finding(i, t, class_name=t) for i, t in enumerate(HOSTILE)], text, text)


def many(count):
    return document([finding(i, f"Folder{i // 100}/Name{i}") for i in range(count)])


def main():
    kind = sys.argv[1]
    made = {"small": small, "hostile": hostile}.get(kind, lambda: many(int(kind)))()
    json.dump(made, sys.stdout, indent=None if kind.isdigit() else 1)


if __name__ == "__main__":
    main()
