#!/usr/bin/env python3
"""Packages that load the same go to one worker, whatever their names; and who cooks what shows nowhere.

    loads.py BIN
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import content  # noqa: E402

WORLDS, MESHES, CLUSTER, USED = 240, 120, 12, 6


def world(meshes):
    actors = [{"Name": f"Actor{i}", "Mesh": {"$ref": f"/Game/Mesh{mesh:03}.glb.Mesh"}}
              for i, mesh in enumerate(meshes)]
    return json.dumps({"objects": [{"name": "World", "class": "/Script/Cook.World",
                                    "properties": {"Actors": actors}}]}).encode()


def make(project):
    """Clusters of worlds that share meshes, under shuffled names."""
    shuffle = random.Random(1)
    names = shuffle.sample(range(MESHES), MESHES)
    for mesh in range(MESHES):
        content.write(f"{project}/Content/Mesh{mesh:03}.glb", content.glb(1 + mesh % 7))
    for index, number in enumerate(shuffle.sample(range(WORLDS), WORLDS)):
        first = index * (MESHES // CLUSTER) // WORLDS * CLUSTER
        content.write(f"{project}/Content/World{number:03}.asset",
                      world([names[first + i] for i in shuffle.sample(range(CLUSTER), USED)]))
    content.write(f"{project}/cook.ini", b"[Project]\nName=Loads\n+ContentRoot=/Game=Content\n"
                                         b"[Cook]\n+AlwaysCook=/Game/*\n")


def cook(binaries, project, workers):
    """Loads of a full cook, and all that it made."""
    subprocess.run(["rm", "-rf", f"{project}/Saved"], check=True)
    document = f"{project}/out.json"
    subprocess.run([f"{binaries}/cook-full", "-C", project, "-q", "--workers", str(workers),
                    "--json", document], check=True)
    listed = subprocess.run([f"{binaries}/cook-store", "list", "-C", project], check=True,
                            capture_output=True, text=True).stdout
    with open(document) as file:
        return json.load(file)["summary"], listed


def main():
    packages = WORLDS + MESHES
    with tempfile.TemporaryDirectory() as project:
        make(project)
        outputs = set()
        for workers in (1, 2, 3):
            summary, listed = cook(sys.argv[1], project, workers)
            outputs.add(listed)
            print(f"{workers} workers: {summary['loads']} loads of {packages} packages")
            if summary["cooked"] != packages or not packages <= summary["loads"] < packages * 1.4:
                sys.exit("loads: too many, or packages are missing")
    if len(outputs) != 1:
        sys.exit("loads: the number of workers shows in the results")


if __name__ == "__main__":
    main()
