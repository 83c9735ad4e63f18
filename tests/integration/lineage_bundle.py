#!/usr/bin/env python3
"""Findings are bundled, reproduced in an empty folder after the project is gone, and debugged.

    lineage_bundle.py BIN_FOLDER PLUGIN_FOLDER
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from lineage_project import Project


def reproduce(project, folder, *arguments):
    result = project.cook("reproduce", "--json", "r.json", *arguments, folder=folder)
    with open(f"{folder}/r.json", encoding="utf-8") as file:
        return json.load(file), result


def has_gdb():
    return shutil.which("gdb") and subprocess.run(
        ["gdb", "-batch", "-ex", "run", "--args", "true"], capture_output=True,
        check=False).stdout.find(b"exited normally") >= 0


def debug(project, elsewhere, bundle):
    """The stop is in the frame of the class, at the write that differs."""
    if not has_gdb():
        print("gdb cannot run a program here: not tried")
        return
    text = project.cook("reproduce", "--debug", bundle, folder=elsewhere).stdout
    project.check("stop", "#0 " in text and "cook_archive_put" in text, True)
    after = text.rsplit("the write of this stack differs", 1)[-1]
    project.check("frame", "item_serialize" in after, True)
    project.check("variable", "level = 7" in after, True)


def functions(stack):
    return [(frame["function"], bool(frame["file"]) and frame["line"] > 0) for frame in stack]


def without_plugin_symbols(project, elsewhere, finding):
    """Both callstacks are named by the bundle alone: of builds without symbols, and of none."""
    copies = [f"{project.folder}/Saved/Cook/Desktop/plugins/{name}" for name in
              os.listdir(f"{project.folder}/Saved/Cook/Desktop/plugins")]
    named = ("item_serialize", True)
    for path in copies:
        os.chmod(path, 0o755)
        subprocess.run(["strip", "--strip-all", path], check=True)
    project.cook("report", "bundle", finding, "-o", f"{elsewhere}/stripped.tar.zst")
    for path in copies:
        os.remove(path)
    bare = project.cook("report", "bundle", finding, "-o", f"{elsewhere}/bare.tar.zst")
    project.check("says what is left out", "its copy is gone" in bare.stderr, True)

    document, _ = reproduce(project, elsewhere, "stripped.tar.zst")
    project.check("stripped", document["summary"]["as_reported"], True)
    for side in ("old_stack", "new_stack"):
        project.check(side, named in functions(document["differences"][0][side]), True)
    document, result = reproduce(project, elsewhere, "bare.tar.zst")
    project.check("bare", (document["summary"]["cooked"], result.returncode), (False, 1))
    project.check("bare", "not cooked here: the bundle lacks build" in result.stdout, True)
    for side in ("old_stack", "new_stack"):
        project.check(side, named in functions(document["differences"][0][side]), True)


def against_store(project):
    """A check of determinism shows the callstacks that the kept cook recorded."""
    result = project.cook("determinism", "--against-store", "--package", "/Game/File",
                          "--vary", "umask", "--json", "d.json")
    with open(f"{project.folder}/d.json", encoding="utf-8") as file:
        finding, = json.load(file)["findings"]
    project.check("verdict", finding["verdict"], "differs_from_store")
    difference = finding["differences"][0]
    project.check("property", difference["property"], "I:Level")
    for side in ("old_stack", "new_stack"):
        project.check(side, ("item_serialize", True) in functions(difference[side]), True)
    project.check("old", "old at item_serialize" in result.stdout, True)
    project.check("again", finding["reproduce"],
                  "cook determinism --package /Game/File --against-store")


def damage(project, elsewhere, bundle):
    with open(f"{elsewhere}/{bundle}", "rb") as file:
        data = bytearray(file.read())
    data[len(data) // 2] ^= 0x40
    with open(f"{elsewhere}/bad.tar.zst", "wb") as file:
        file.write(data)
    result = project.cook("reproduce", "bad.tar.zst", ok=(2, 4), folder=elsewhere)
    project.check("damage", "not a sound bundle" in result.stderr, True)


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
        project = Project(*(os.path.realpath(a) for a in sys.argv[1:3]), f"{folder}/p")
        project.cook("full", "--record-callstacks")
        project.environment.update(MOOD="2", TOKEN_OF_SOMEBODY="s3cret")
        project.write("level.txt", "7\n")
        against_store(project)
        findings, _ = project.validate("--allow-write")
        project.check("found", sorted(findings), ["File", "Mood"])
        ids = {name: f["id"] for name, f in findings.items()}
        project.check("last line", findings["File"]["reproduce"], f"cook reproduce {ids['File']}")

        shown = project.cook("report", "show", ids["Mood"][:6]).stdout
        project.check("show", "MOOD" in shown and ids["Mood"] in shown, True)
        document, _ = reproduce(project, project.folder, ids["File"])
        project.check("by id", document["summary"]["as_reported"], True)

        for name, finding in ids.items():
            project.cook("report", "bundle", finding, "-o", f"{elsewhere}/{name}.tar.zst")
            project.cook("report", "bundle", finding, "-o", f"{folder}/{name}.tar.zst")
            with open(f"{elsewhere}/{name}.tar.zst", "rb") as one, \
                    open(f"{folder}/{name}.tar.zst", "rb") as two:
                project.check("same bytes", one.read() == two.read(), True)
        without_plugin_symbols(project, elsewhere, ids["File"])
        shutil.rmtree(project.folder) # another machine has no project, and another environment
        del project.environment["TOKEN_OF_SOMEBODY"]
        project.environment["MOOD"] = "9"
        for name, prop in (("File", "I:Level"), ("Mood", "I:Mood")):
            document, result = reproduce(project, elsewhere, f"{name}.tar.zst")
            project.check(name, document["summary"]["as_reported"], True)
            project.check(name, [d["property"] for d in document["differences"]], [prop])
            frames = [f["function"] for f in document["differences"][0]["new_stack"]]
            project.check(name, "item_serialize" in frames, True)
            project.check("status", result.returncode, 1)
        project.cook("reproduce", "--folder", "unpacked", "Mood.tar.zst", folder=elsewhere)
        with open(f"{elsewhere}/unpacked/facts.json", encoding="utf-8") as file:
            text = file.read()
            project.check("what is private stays away", "s3cret" in text, False)
            project.check("what matters is there", '"MOOD"' in text, True)
        debug(project, elsewhere, "File.tar.zst")
        damage(project, elsewhere, "File.tar.zst")
        return project.finish()


if __name__ == "__main__":
    sys.exit(main())
