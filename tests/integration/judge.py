#!/usr/bin/env python3
"""Verdicts of incremental-validate over planted faults, each beside a clean twin.

    judge.py BIN_FOLDER PLUGIN_FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

# package: (fault, verdict or None, property that differs, frame that must be on top)
SUBJECTS = {
    "Clean": ("None", None, None, None),
    "CleanTwin": ("None", None, None, None),
    "Hidden": ("HiddenFile", "false_skip", "S:Hidden", "subject_serialize"),
    "Clock": ("Clock", "indeterminate", "S:Clock", "subject_serialize"),
    "Both": ("Both", "both", "S:Hidden", "subject_serialize"),
    "Message": ("Message", "vanished_replay", None, None),
}


def make_project(folder, plugin):
    os.makedirs(f"{folder}/Content")
    for name, (fault, *_rest) in SUBJECTS.items():
        asset = {"objects": [{"name": "S", "class": "/Script/Judge.Subject",
                              "properties": {"Fault": fault}}]}
        with open(f"{folder}/Content/{name}.asset", "w", encoding="utf-8") as file:
            json.dump(asset, file)
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Judge\n+ContentRoot=/Game=Content\n"
                   f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\n"
                   "[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n")


def cook(bin_folder, folder, *arguments):
    result = subprocess.run([f"{bin_folder}/cook", *arguments, "-C", folder], text=True,
                            capture_output=True, check=False)
    if result.returncode > 1:
        sys.exit(f"cook {arguments}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def validate(bin_folder, folder):
    result = cook(bin_folder, folder, "incremental-validate", "--json", f"{folder}/v.json")
    with open(f"{folder}/v.json", encoding="utf-8") as file:
        return result, json.load(file)


def check(document, wanted):
    wrong = []
    found = {f["package"].rsplit("/", 1)[1]: f for f in document["findings"] if f["seen"]}
    for name, (_fault, verdict, prop, frame) in SUBJECTS.items():
        verdict = verdict if name in wanted else None
        got = found[name]["verdict"] if name in found else None
        if got != verdict:
            wrong.append(f"{name}: expected {verdict}, got {got}")
            continue
        if not prop or not verdict:
            continue
        difference = next((d for d in found[name]["differences"] if d["property"] == prop), None)
        if not difference:
            wrong.append(f"{name}: no difference in {prop}")
        elif difference["new_stack"] and not any(
                f["function"] == frame for f in difference["new_stack"]):
            wrong.append(f"{name}: {frame} is not on the stack")
    return wrong


def main():
    bin_folder, plugins = (os.path.realpath(a) for a in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        make_project(folder, f"{plugins}/judge.so")
        cook(bin_folder, folder, "full")
        _, document = validate(bin_folder, folder)
        # Before the hidden file appears only the clock shows, also in the package that has both.
        saved = SUBJECTS["Both"]
        SUBJECTS["Both"] = ("Both", "indeterminate", "S:Clock", "subject_serialize")
        wrong = check(document, {"Clock", "Both"})
        SUBJECTS["Both"] = saved
        with open(f"{folder}/hidden.txt", "w", encoding="utf-8") as file:
            file.write("7")
        result, document = validate(bin_folder, folder)
        wrong += check(document, {"Hidden", "Clock", "Both", "Message"})
        summary = document["summary"]
        counts = [summary[k] for k in ("false_skips", "indeterminate", "both",
                                           "vanished_replays")]
        if counts != [1, 1, 1, 1] or result.returncode != 1:
            wrong.append(f"summary {counts}, exit {result.returncode}")
    for line in wrong:
        print(line)
    print(f"{len(SUBJECTS) * 2 - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
