#!/usr/bin/env python3
"""cook incremental-validate --finding: before the fix it is still there, after it it is gone.

    lineage_replay.py BIN_FOLDER PLUGIN_FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

from lineage_project import Project


def replay(project, finding, wanted, words):
    result = project.cook("incremental-validate", "--finding", finding, "--json", "r.json")
    with open(f"{project.folder}/r.json", encoding="utf-8") as file:
        document = json.load(file)
    project.check(f"replay of {finding}", document["verdict"], wanted)
    project.check(f"reason '{document['reason']}'", words in document["reason"], True)
    project.check("status", result.returncode, 0 if wanted == "gone" else 1)


def git(project, *arguments):
    subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@t", *arguments],
                   cwd=project.folder, check=True, capture_output=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = Project(*(os.path.realpath(a) for a in sys.argv[1:3]), folder)
        project.write(".gitignore", "Saved\n*.json\n")
        git(project, "init")
        git(project, "add", "-A")
        git(project, "commit", "-m", "first")
        project.cook("full")
        project.environment["MOOD"] = "2"
        project.write("level.txt", "7\n")
        project.build("changed")
        findings = project.validate("--allow-write")[0]
        ids = {name: f["id"] for name, f in findings.items()}
        # Builds with sanitizers are not traced, and nobody knows of the file then.
        traced = findings["File"]["causes"][0]["kind"] == "undeclared_input"
        project.check("found", sorted(ids), ["File", "Mood", "Number"])

        replay(project, ids["Mood"], "still there", "is skipped")
        replay(project, ids["Number"], "still there", "is skipped")
        if traced: # what it was is in the commit
            replay(project, ids["File"], "still there", "is skipped")
        project.check("nothing is said before", {f["state"] for f in project.validate()[0].values()},
                      {"masked"})
        project.build("versioned")
        replay(project, ids["Number"], "gone", "class /Script/Lineage.Item")
        replay(project, ids["Mood"], "still there", "is skipped")
        project.build("declared")
        replay(project, ids["Mood"], "gone", "env MOOD")
        if traced:
            replay(project, ids["File"], "gone", "file level.txt")
        else:
            replay(project, ids["File"], "not shown", "can be replayed")
        project.cook("incremental")
        left = project.validate()[0]
        project.check("gone stays gone", set(left) & {"Mood", "Number"}, set())
        return project.finish()


if __name__ == "__main__":
    sys.exit(main())
