#!/usr/bin/env python3
"""Replay histories of real content with cook churn: no false alarm, and one planted fault is found.

    churn_corpus.py --bin FOLDER --plugin FILE --unpacked FOLDER [--steps N] [--seed N] [--compare] NAME

To the history NAME of the corpus is added one package whose class reads Content/level.txt behind the SDK's
back, and that file changes at one step, chosen by the seed. The replay must find exactly this false skip,
at this step, and name the file when it is bisected; it must find nothing else at any step. With --steps
only so many steps are replayed; without, all. Skipped (77) where there is no corpus.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from corpus import unpack


def prepare(options, source, folder):
    """A folder of steps, those of the corpus linked, one of them with the fault."""
    steps = sorted(glob.glob(os.path.join(source, "history", "[0-9]*")))[:options.steps or None]
    planted = random.Random(options.seed).choice(steps)
    os.makedirs(f"{folder}/steps/history")
    shutil.copytree(f"{source}/base", f"{folder}/steps/base", copy_function=shutil.copyfile)
    for step in steps:
        shutil.copytree(step, f"{folder}/steps/history/{os.path.basename(step)}",
                        copy_function=shutil.copyfile)
    with open(f"{folder}/steps/base/level.txt", "w", encoding="utf-8") as file:
        file.write("1\n")
    with open(f"{folder}/steps/base/ChurnPlanted.asset", "w", encoding="utf-8") as file:
        json.dump({"objects": [{"name": "I", "class": "/Script/Lineage.Item",
                                "properties": {"Kind": 1}}]}, file)
    name = os.path.basename(planted)
    os.makedirs(f"{folder}/steps/history/{name}/files", exist_ok=True)
    with open(f"{folder}/steps/history/{name}/files/level.txt", "w", encoding="utf-8") as file:
        file.write("7\n")
    os.makedirs(f"{folder}/skeleton")
    shutil.copyfile(options.plugin, f"{folder}/skeleton/lineage.so")
    with open(f"{folder}/skeleton/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Corpus\n+ContentRoot=/Game=Content\n+Plugin=lineage.so\n"
                   "[Cook]\n+AlwaysCook=/Game/*\n"
                   "[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n")
    return name, len(steps)


def cook(options, folder, *arguments):
    command = [os.path.join(os.path.abspath(options.bin), "cook"), "churn", "--work", f"{folder}/work",
               "--json", f"{folder}/out.json", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if result.returncode not in (0, 1, 3):
        sys.exit(f"churn ends with {result.returncode}\n{result.stdout}{result.stderr}")
    with open(f"{folder}/out.json", encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--unpacked", required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("name")
    options = parser.parse_args()
    corpus = unpack(options.unpacked)
    if not corpus:
        print("churn: skipped: neither $COOK_CORPUS nor ../shared/corpus holds one")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        planted, count = prepare(options, os.path.join(corpus, options.name), folder)
        document = cook(options, folder, f"{folder}/steps", "--skeleton", f"{folder}/skeleton",
                        *(["--compare"] if options.compare else []))
        found = [(f["package"], f["verdict"], f["introduced"]) for f in document["introduced"]]
        wanted = [("/Game/ChurnPlanted", "false_skip", planted)]
        differing = [row["step"] for row in document["steps"]
                     if sum(row.get("compare", {}).values())]
        summary = document["summary"]
        print(f"churn: {options.name}: {count} steps, cooked {summary['cooked']}, same bytes again "
              f"{summary['false_recooks']}, found {found}, {summary['seconds']:.0f} s")
        if found != wanted or differing:
            sys.exit(f"wanted {wanted}; steps that differ from a full cook: {differing}")
        finding = document["introduced"][0]["id"]
        files = cook(options, folder, "--bisect", finding)["files"]
        if files != ["Content/level.txt"]:
            sys.exit(f"bisected to {files}")


if __name__ == "__main__":
    main()
