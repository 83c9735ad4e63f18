#!/usr/bin/env python3
"""Faults of kinds that the catalogue does not hold, as catalogue.py runs its own.

    unseen.py BIN_FOLDER BUILD_FOLDER

Not a test: what it prints when it was run for the first time, before anything was mended, stands in
catalogue/unseen.txt.
"""
import os
import shutil
import stat
import sys
import tempfile

import catalogue
from catalogue import DETERMINISM, VALIDATE, asset, by_package, check, print_table, write

FAULTS = {
    "ConstructorFile": (VALIDATE, "false_skip", "undeclared_input", "ConstructorFile_read"),
    "EnvironScan": (VALIDATE, "false_skip", "environment", "EnvironScan_serialize"),
    "InodeNumber": (VALIDATE, "false_skip", "undeclared_input", "InodeNumber_value"),
    "SourceTime": (VALIDATE, "false_skip", "undeclared_input", "SourceTime_value"),
    "SpawnedTool": (VALIDATE, "false_skip", "undeclared_input", "SpawnedTool_value"),
    "BuildStamp": (VALIDATE, "false_skip", "code_changed", "BuildStamp_value"),
    # The compiler knows which area() it is, and puts it into its caller.
    "VirtualCall": (VALIDATE, "false_skip", "code_changed", "virtual_call_serialize"),
    "MonotonicClock": (VALIDATE, "indeterminate", "time", "MonotonicClock_serialize"),
    "PointerSet": (VALIDATE, "indeterminate", "unordered_container", "pointer_set_serialize"),
    "ReallocGarbage": (DETERMINISM, "unstable_bytes", "uninitialised_memory",
                       "ReallocGarbage_serialize"),
    "LazyTable": (DETERMINISM, "unstable_bytes", "left_state", "LazyTable_serialize"),
    "ErrnoLeak": (DETERMINISM, "unstable_bytes", "left_state", "ErrnoLeak_serialize"),
    "SetVariable": (DETERMINISM, "unstable_bytes", "left_state", "SetVariable_serialize"),
    "RandSequence": (DETERMINISM, "unstable_bytes", "left_state", "RandSequence_serialize"),
    "FloatSum": (DETERMINISM, "unstable_bytes", "thread_timing", "FloatSum_serialize"),
}
BEFORE = {"ErrnoLeak": "ErrnoSetter", "SetVariable": "VariableSetter", "LazyTable": "LazyTable",
          "RandSequence": "RandSequence"}


def tool(folder, word):
    path = f"{folder}/hidden/tool.sh"
    if os.path.exists(path):
        os.remove(path)
    write(path, f"#!/bin/sh\necho {word}\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def make_project(folder, build):
    for name in FAULTS:
        asset(folder, name, name, Clean=False)
        asset(folder, f"{name}Twin", "VirtualCallTwin" if name == "VirtualCall" else name, Clean=True)
    for name, before in BEFORE.items():
        asset(folder, f"{name}AndBefore", before, Clean=False)
    write(f"{folder}/cook.ini", "[Project]\nName=Unseen\n+ContentRoot=/Game=Content\n"
          "+Plugin=unseen.so\n[Cook]\n+AlwaysCook=/Game/*\n"
          "[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n")
    write(f"{folder}/hidden/constructor.txt", "before")
    write(f"{folder}/hidden/inode.txt", "same")
    tool(folder, "before")
    shutil.copy(f"{build}/unseen_before.so", f"{folder}/unseen.so")


def change_all(folder, build):
    write(f"{folder}/hidden/constructor.txt", "after")
    write(f"{folder}/hidden/inode.new", "same")
    os.rename(f"{folder}/hidden/inode.new", f"{folder}/hidden/inode.txt")
    tool(folder, "after")
    for name in ("SourceTime", "SourceTimeTwin"):
        os.utime(f"{folder}/Content/{name}.asset", (2000000000, 2000000000))
    catalogue.replace(f"{build}/unseen_after.so", f"{folder}/unseen.so")


def main():
    bin_folder, build = (os.path.realpath(a) for a in sys.argv[1:3])
    folder = os.path.realpath(tempfile.mkdtemp())
    catalogue.FAULTS = FAULTS
    make_project(folder, build)
    studio = catalogue.Studio(bin_folder, folder)
    os.environ["CATALOGUE_SCAN"] = "before"
    studio.run("full")
    change_all(folder, build)
    os.environ["CATALOGUE_SCAN"] = "after"
    studio.run("incremental")
    validated = studio.run("incremental-validate")[1]
    found = {VALIDATE: by_package(validated),
             DETERMINISM: by_package(studio.run("determinism")[1])}
    rows = {name: check(name, found[fault[0]].get(name)) for name, fault in FAULTS.items()}
    print_table(rows)
    for where, findings in found.items():
        for name, finding in findings.items():
            if name.endswith("Twin"):
                print(f"CLEAN TWIN {name} was reported by {where}: {finding['verdict']} "
                      f"{[c['kind'] for c in finding['causes']]}")
    right = sum(good for _, good in rows.values())
    print(f"{right} of {len(rows)} faults found with verdict, cause and function")
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
