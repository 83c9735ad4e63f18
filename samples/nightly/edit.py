#!/usr/bin/env python3
"""The edits of a working day, made to a project that generate.py has made.

    edit.py PROJECT texture NAME SEED            paint a colour texture anew
    edit.py PROJECT value ASSET PROPERTY JSON    set a property of the first object
    edit.py PROJECT copy ASSET NEW               a new asset like another one
    edit.py PROJECT place MAP ASSET              put an asset into a map
    edit.py PROJECT touch FILE                   new times, same bytes
    edit.py PROJECT text FILE TEXT               another text in a file

Names are relative to PROJECT/Content; assets and maps go without their extension.
"""
import importlib.util
import json
import os
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")


def texture(project, content, name, seed):
    location = os.path.join(project, "generate.py")
    spec = importlib.util.spec_from_file_location("generate", location)
    generate = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(generate)
    heights = generate.noise(64, 4, int(seed))
    with open(os.path.join(content, name), "wb") as file:
        file.write(generate.png(generate.color_map(64, heights, (60, 40, 20), (200, 160, 120))))


def value(_, content, asset, key, text):
    path = os.path.join(content, asset + ".asset")
    document = load(path)
    document["objects"][0]["properties"][key] = json.loads(text)
    save(path, document)


def copy(_, content, asset, new):
    document = load(os.path.join(content, asset + ".asset"))
    document["objects"][0]["name"] = os.path.basename(new)
    save(os.path.join(content, new + ".asset"), document)


def place(_, content, name, asset):
    path = os.path.join(content, name + ".asset")
    document = load(path)
    document["objects"][0]["properties"]["Actors"].append({
        "Name": os.path.basename(asset), "Mesh": None, "Object": {"$ref": "/Game/" + asset},
        "Parent": -1, "Location": {"X": 0.0, "Y": 0.0, "Z": 0.0}})
    save(path, document)


def touch(_, content, name):
    os.utime(os.path.join(content, name))


def text(_, content, name, words):
    with open(os.path.join(content, name), "w", encoding="utf-8") as file:
        file.write(words + "\n")


def main():
    edits = {f.__name__: f for f in (texture, value, copy, place, touch, text)}
    if len(sys.argv) < 3 or sys.argv[2] not in edits:
        sys.exit(__doc__)
    project = sys.argv[1]
    edits[sys.argv[2]](project, os.path.join(project, "Content"), *sys.argv[3:])


if __name__ == "__main__":
    main()
