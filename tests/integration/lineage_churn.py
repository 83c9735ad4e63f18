#!/usr/bin/env python3
"""cook churn over a git repository: what each commit costs and brings, also when it is stopped and
goes on; and which file of a commit it was.

    lineage_churn.py BIN_FOLDER PLUGIN_FOLDER
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from lineage_project import Project

BUILD = """set -e
variant=$(cat VARIANT)
mkdir -p Plugins
cp "$1/lineage_$variant.so" Plugins/new.so
mv Plugins/new.so Plugins/lineage.so
"""


def git(folder, *arguments):
    return subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@t", *arguments], cwd=folder,
                          check=True, capture_output=True, text=True).stdout.strip()


def make_repository(project):
    """Names of commits by what they do."""
    commits = {}

    def commit(name):
        git(project.folder, "add", "-A")
        git(project.folder, "commit", "-m", name)
        commits[name] = git(project.folder, "rev-parse", "HEAD")

    git(project.folder, "init")
    project.write(".gitignore", "Saved\n*.so\n")
    project.write("build.sh", BUILD)
    project.write("VARIANT", "hidden\n")
    project.write("other.txt", "1\n")
    project.write("Content/Both.asset", json.dumps({"objects": [
        {"name": "I", "class": "/Script/Lineage.Item", "properties": {"Kind": 4}}]}))
    commit("first")
    project.write("Content/Clean.asset", json.dumps({"objects": [
        {"name": "I", "class": "/Script/Lineage.Item", "properties": {"Kind": 0}},
        {"name": "J", "class": "/Script/Lineage.Item", "properties": {"Kind": 0}}]}))
    commit("an honest edit")
    project.write("level.txt", "7\n")
    project.write("other.txt", "7\n")
    for number in range(6):
        project.write(f"notes{number}.txt", "of no interest")
    project.write("Content/Mood.asset", json.dumps({"objects": [
        {"name": "I", "class": "/Script/Lineage.Item", "properties": {"Kind": 2}}], "x": 1}))
    commit("a hidden file")
    project.write("VARIANT", "no such variant\n")
    commit("does not build")
    project.write("VARIANT", "changed\n")
    commit("code without a version")
    project.write("VARIANT", "versioned\n")
    commit("with a version")
    return commits


def arguments(project, work):
    return ["churn", project.folder, "HEAD~5..HEAD", "--work", work, "--json", f"{work}.json",
            "--", "sh", "build.sh", project.plugins]


def check(project, document, commits):
    rows = {row["subject"]: row for row in document["steps"]}
    project.check("steps", len(rows), 6)
    project.check("built", [s for s, r in rows.items() if not r["built"]], ["does not build"])
    project.check("honest", (rows["an honest edit"]["recooked"], rows["an honest edit"]["false_skips"]),
                  (1, 0))
    project.check("versioned", rows["with a version"]["recooked"], 5)
    project.check("the same bytes", rows["with a version"]["false_recooks"], 5)
    project.check("introduced", {f["package"]: f["introduced"] for f in document["introduced"]},
                  {"/Game/File": commits["a hidden file"],
                   "/Game/Both": commits["a hidden file"],
                   "/Game/Number": commits["code without a version"]})
    project.check("summary", document["summary"]["false_skips"], 3)


def stopped_and_started(project, folder):
    """Killed after some steps: the same in the end."""
    work = f"{folder}/stopped"
    process = subprocess.Popen([f"{project.bin_folder}/cook", *arguments(project, work)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=project.environment, start_new_session=True)
    deadline = time.monotonic() + 100
    rows = 0
    while rows < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
        try:
            with open(f"{work}/churn.json", encoding="utf-8") as file:
                rows = len(json.load(file)["rows"])
        except (OSError, ValueError):
            pass
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    project.check("stopped early", 2 <= rows < 6, True)
    project.cook(*arguments(project, work))
    with open(f"{work}.json", encoding="utf-8") as file:
        return json.load(file)


def bisect(project, work, package, document, *wanted):
    finding = next(f["id"] for f in document["introduced"] if f["package"] == package)
    project.cook("churn", "--work", work, "--bisect", finding, "--json", f"{work}/b.json")
    with open(f"{work}/b.json", encoding="utf-8") as file:
        project.check(f"bisected {package}", json.load(file)["files"], list(wanted))


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        project = Project(*(os.path.realpath(a) for a in sys.argv[1:3]), f"{folder}/p")
        commits = make_repository(project)
        work = f"{folder}/work"
        text = project.cook(*arguments(project, work)).stdout
        project.check("table", "a hidden file" in text and "brought 2 false skips: a hidden file" in text,
                      True)
        with open(f"{work}.json", encoding="utf-8") as file:
            document = json.load(file)
        check(project, document, commits)
        check(project, stopped_and_started(project, folder), commits)
        bisect(project, work, "/Game/File", document, "level.txt")
        bisect(project, work, "/Game/Both", document, "level.txt", "other.txt")
        bisect(project, work, "/Game/Number", document, "Plugins/lineage.so")
        project.check("the repository is as it was", git(project.folder, "status", "--porcelain"), "")
        return project.finish()


if __name__ == "__main__":
    sys.exit(main())
