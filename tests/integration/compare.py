#!/usr/bin/env python3
"""Comparisons of finished cooks: cook diff and cook incremental-compare.

    compare.py BUILD/bin FOLDER_OF_PLUGINS SAMPLES [TEST…]
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile
import zlib

BIN = PLUGINS = SAMPLES = None

INI = """[Project]
Name=Test
+ContentRoot=/Game=Content
[Cook]
+AlwaysCook=/Game/Maps/*
"""


def table(label):
    return {"objects": [{"name": "Table", "class": "/Script/Cook.DataTable", "properties": {
        "Columns": [{"Name": "Label"}], "Rows": {"First": {"Cells": [label]}}}}]}


def level(*packages):
    actors = [{"Name": "Actor", "Object": {"$ref": package}} for package in packages]
    return {"objects": [{"name": "World", "class": "/Script/Cook.World",
                         "properties": {"Actors": actors}}]}


class Folder:
    """A folder with a project, or with loose files."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path)

    def write(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def asset(self, name, document):
        self.write(f"Content/{name}.asset", json.dumps(document).encode())

    def remove(self, name):
        os.remove(os.path.join(self.path, name))


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    # ---- running ----

    def run_verb(self, verb, *arguments):
        return subprocess.run([os.path.join(BIN, "cook"), verb, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)

    def cook(self, verb, name, *arguments, status=0):
        done = self.run_verb(verb, "-C", name, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)

    def document(self, verb, *arguments, status):
        done = self.run_verb(verb, "--json", "document.json", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.output = done.stdout
        self.messages = done.stderr
        with open(os.path.join(self.folder, "document.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["schema"], f"cookproof/{verb}/1")
        self.summary = document["summary"]
        self.packages = {p["name"]: p for p in document.get("packages", [])}
        return document

    def diff(self, old, new, *arguments, status=1):
        self.document("diff", *arguments, old, new, status=status)
        return {name: package["change"] for name, package in self.packages.items()}

    def counts(self):
        return [self.summary[k] for k in ("added", "modified", "deleted", "identical")]

    def roots(self, name):
        """Differences that stand on their own, by property."""
        return {d["property"]: d for d in self.packages[name]["differences"]
                if d["consequence_of"] is None}

    # ---- projects ----

    def project(self, name):
        project = Folder(os.path.join(self.folder, name))
        project.write("cook.ini", INI.encode())
        for asset, label in (("A", "one"), ("B", "two"), ("C", "three")):
            project.asset(asset, table(label))
        project.asset("Maps/L", level("/Game/A", "/Game/B"))
        return project

    def change(self, project):
        project.asset("A", table("changed"))
        project.asset("Maps/L", level("/Game/A", "/Game/C"))

    CHANGES = {"/Game/A": "modified", "/Game/B": "deleted", "/Game/C": "added",
               "/Game/Maps/L": "modified"}

    def arena(self, variant):
        project = Folder(os.path.join(self.folder, "arena"))
        source = os.path.join(SAMPLES, "arena")
        shutil.copy(os.path.join(source, "cook.ini"), project.path)
        shutil.copytree(os.path.join(source, "Config"), os.path.join(project.path, "Config"))
        subprocess.run([sys.executable, os.path.join(source, "generate.py"), project.path],
                       check=True)
        self.build(project, variant)
        return project

    def build(self, project, variant):
        with open(os.path.join(PLUGINS, f"arena_{variant}.so"), "rb") as file:
            project.write("Plugins/arena/new", file.read())
        place = os.path.join(project.path, "Plugins/arena")
        os.replace(os.path.join(place, "new"), os.path.join(place, "arena.so"))

    def edit(self, project, *arguments):
        script = os.path.join(SAMPLES, "nightly/edit.py")
        subprocess.run([sys.executable, script, project.path, *arguments], check=True)

    # ---- cook diff, of cooks ----

    def test_equal_projects_at_other_paths(self):
        self.project("one")
        self.project("a/longer/path")
        self.cook("full", "one")
        self.cook("full", "a/longer/path")
        self.assertEqual(self.diff("one", "a/longer/path", status=0), {})
        self.assertEqual(self.counts(), [0, 0, 0, 3])
        self.assertEqual(self.summary["bytes_only"], 0)

    def test_two_projects(self):
        self.project("one")
        self.change(self.project("two"))
        self.cook("full", "one")
        self.cook("full", "two")
        self.assertEqual(self.diff("one", "two"), self.CHANGES)
        self.assertEqual(self.counts(), [1, 2, 1, 0])
        difference = self.roots("/Game/A")['Table:Rows["First"].Cells.Label']
        self.assertEqual((difference["old_value"], difference["new_value"]),
                         ('"one"', '"changed"'))
        self.assertEqual(self.packages["/Game/B"]["referrers"], ["/Game/Maps/L"])
        self.assertEqual(self.packages["/Game/C"]["referrers"], ["/Game/Maps/L"])
        references = [(r["change"], r["kind"], r["package"])
                      for r in self.packages["/Game/Maps/L"]["references"]]
        self.assertEqual(references, [("deleted", "hard", "/Game/B"),
                                      ("added", "hard", "/Game/C")])
        self.assertIn("added hard reference /Game/C", self.output)

    def test_two_cooks_of_a_project(self):
        project = self.project("one")
        self.cook("full", "one")
        self.change(project)
        self.cook("incremental", "one")
        self.assertEqual(self.diff("one:1", "one:latest"), self.CHANGES)
        self.assertIn('Table:Rows["First"].Cells.Label', self.roots("/Game/A"))
        self.assertEqual(self.diff(":2", ":1", "-C", "one")["/Game/C"], "deleted")
        self.assertEqual(self.diff("one:2", "one", status=0), {})

    def test_a_store_that_was_moved(self):
        self.project("one")
        self.cook("full", "one")
        shutil.move(os.path.join(self.folder, "one/Saved/Cook/Desktop"),
                    os.path.join(self.folder, "kept"))
        self.cook("full", "one")
        self.assertEqual(self.diff("kept", "one", status=0), {})
        self.assertEqual(self.diff("kept:1", "one/Saved/Cook/Desktop", status=0), {})

    def test_messages(self):
        project = self.project("one")
        self.cook("full", "one")
        project.asset("Maps/L", level("/Game/A", "/Game/B", "/Game/Nowhere"))
        self.project("two")
        self.cook("incremental", "one")
        self.cook("full", "two")
        self.diff("two", "one")
        message, = self.packages["/Game/Maps/L"]["messages"]
        self.assertEqual((message["change"], message["kind"]), ("added", "warning"))
        self.assertIn("/Game/Nowhere", message["text"])
        self.assertIn("messages", self.packages["/Game/Maps/L"]["parts"])

    def test_limits_say_what_they_drop(self):
        self.project("one")
        self.change(self.project("two"))
        self.cook("full", "one")
        self.cook("full", "two")
        self.diff("one", "two", "--limit", "1")
        self.assertEqual(self.summary["not_compared"], 1)
        self.assertIn("packages named only, beyond --limit: 1", self.output)
        self.assertFalse(self.packages["/Game/Maps/L"]["compared"])
        self.assertEqual(self.diff("one", "two", "--stat", "-q"), {})
        self.assertEqual(self.output, "added 1, modified 2, deleted 1, identical 0; artifact files 2\n")

    # ---- pictures ----

    def png(self, pixels):
        """An image of one channel of red, as rows of values."""
        rows = b"".join(b"\0" + b"".join(bytes((v, 0, 0)) for v in row) for row in pixels)

        def chunk(kind, data):
            return (struct.pack(">I", len(data)) + kind + data +
                    struct.pack(">I", zlib.crc32(kind + data)))
        header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 2, 0, 0, 0)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

    def test_pictures_of_textures(self):
        project = self.project("one")
        project.write("cook.ini", INI.encode() + b"+AlwaysCook=/Game/Skin.png\n")
        pixels = [[40] * 6 for _ in range(6)]  # no multiple of 4: stored as it is
        project.write("Content/Skin.png", self.png(pixels))
        self.cook("full", "one")
        pixels[2][3] = 47
        project.write("Content/Skin.png", self.png(pixels))
        self.cook("incremental", "one")
        self.diff("one:1", "one:2", "--pictures", "shown")
        values = [d["new_value"] for d in self.packages["/Game/Skin.png"]["differences"]]
        self.assertTrue(any("6 x 6 pixels, 1 differ; largest error R 7 G 0 B 0 A 0" in v
                            for v in values if v), values)
        names = sorted(os.listdir(os.path.join(self.folder, "shown")))
        self.assertIn(f"pictures written: {len(names)}, in shown", self.output)
        largest = max((self.size_of("shown/" + name) for name in names))
        self.assertEqual(largest, (3 * 6 + 2 * 8, 6))

    def size_of(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", data[16:24])

    # ---- cook diff, of folders ----

    FRAGMENT = ("#version 450\nlayout(location = 0) out vec4 color;\n"
                "void main() { color = vec4(%s, 0, 0, 1); }\n")

    def test_shaders(self):
        project = self.project("one")
        project.write("Content/Maps/S.frag", (self.FRAGMENT % "0.5").encode())
        self.cook("full", "one")
        project.write("Content/Maps/S.frag", (self.FRAGMENT % "0.25").encode())
        self.cook("incremental", "one")
        path = os.environ["PATH"]
        for tool in (True, False):
            try:
                if not tool:
                    os.environ["PATH"] = self.folder
                self.diff("one:1", "one:2")
            finally:
                os.environ["PATH"] = path
            lines, = [d["lines"] for d in self.packages["/Game/Maps/S.frag"]["differences"]
                      if d["lines"]]
            if tool and shutil.which("spirv-dis"):
                self.assertEqual(lines[:2], ["- %float_0_5 = OpConstant %float 0.5",
                                             "+ %float_0_25 = OpConstant %float 0.25"])
                self.assertEqual(len(lines), 4)
            else:
                self.assertEqual(lines, ["not disassembled: there is no spirv-dis (package "
                                         "spirv-tools)"])
            self.assertIn("\n        " + "\n        ".join(lines) + "\n", self.output)

    def test_folders(self):
        for name in "old", "new":
            folder = Folder(os.path.join(self.folder, name))
            folder.write("same.bin", b"same" * 100000)
            folder.write("deep/er/empty", b"")
            folder.write("big.bin", bytes(20 << 20) + name.encode())
            folder.write(f"deep/{name}.txt", b"only here")
            folder.write("size.txt", b"x" * len(name + "s" * (name == "new")))
        self.assertEqual(self.diff("old", "new"), {
            "big.bin": "modified", "size.txt": "modified",
            "deep/new.txt": "added", "deep/old.txt": "deleted"})
        self.assertEqual(self.counts(), [1, 2, 1, 2])
        self.assertEqual(self.diff("old", "old", status=0), {})

    def test_cooked_files_in_folders(self):
        project = self.project("one")
        for name, asset in (("old", table("one")), ("new", table("another"))):
            project.asset("A", asset)
            self.cook("incremental", "one")
            cat = subprocess.run([os.path.join(BIN, "cook"), "store", "cat", "/Game/A", "-C",
                                  os.path.join(self.folder, "one")],
                                 capture_output=True, check=True)
            Folder(os.path.join(self.folder, name)).write("A.bin", cat.stdout)
        self.assertEqual(self.diff("old", "new"), {"A.bin": "modified"})
        self.assertEqual(list(self.roots("A.bin")), ["Table:#data"])
        self.assertTrue(self.packages["A.bin"]["compared"])
        self.assertFalse(self.packages["A.bin"]["by_offset"])

    def zip(self, name, files):
        with zipfile.ZipFile(os.path.join(self.folder, name), "w", zipfile.ZIP_DEFLATED) as file:
            for path, data in files:
                file.writestr(path, data)

    def test_zips(self):
        self.zip("old.zip", [("same.bin", b"same" * 1000), ("deep/a.txt", b"one"), ("gone", b"")])
        self.zip("new.zip", [("deep/a.txt", b"two"), ("same.bin", b"same" * 1000)])
        self.assertEqual(self.diff("old.zip", "new.zip"),
                         {"deep/a.txt": "modified", "gone": "deleted"})
        folder = Folder(os.path.join(self.folder, "loose"))
        folder.write("same.bin", b"same" * 1000)
        folder.write("deep/a.txt", b"two")
        self.assertEqual(self.diff("new.zip", "loose", status=0), {})
        self.assertEqual(self.counts(), [0, 0, 0, 2])

    def test_staged_output(self):
        self.project("one")
        self.change(self.project("two"))
        for name, arguments in (("one", ["--loose"]), ("one", []), ("two", [])):
            self.cook("incremental", name)
            folder = name + "".join(arguments)
            done = self.run_verb("stage", "-C", name, *arguments, f"{folder}-staged")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "one-staged/chunk0.zip")))
        self.assertEqual(self.diff("one--loose-staged", "one-staged", status=0), {})
        self.assertGreater(self.summary["identical"], 3)
        self.assertEqual(self.diff("one-staged", "one-staged/chunk0.zip")["chunk0/Game/A.cooked"],
                         "deleted")
        changes = self.diff("one-staged", "two-staged")
        self.assertEqual(changes["chunk0/Game/A.cooked"], "modified")
        self.assertEqual(changes["chunk0/Game/B.cooked"], "deleted")
        self.assertEqual(list(self.roots("chunk0/Game/A.cooked")), ["Table:#data"])

    def test_hostile_zips(self):
        Folder(os.path.join(self.folder, "loose"))
        self.zip("up.zip", [("../up.txt", b"no")])
        self.zip("root.zip", [("/root.txt", b"no")])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.zip("twice.zip", [("a", b"1"), ("a", b"2")])
        self.zip("cut.zip", [("a", b"x" * 100000)])
        with open(os.path.join(self.folder, "cut.zip"), "r+b") as file:
            file.truncate(60)
        temporary = os.path.join(self.folder, "temporary")
        os.mkdir(temporary)
        with open(os.path.join(self.folder, "empty.zip"), "wb"):
            pass
        for name in "up", "root", "twice", "cut", "empty":
            done = subprocess.run([os.path.join(BIN, "cook"), "diff", f"{name}.zip", "loose"],
                                  cwd=self.folder, capture_output=True, text=True, timeout=60,
                                  check=False, env={**os.environ, "TMPDIR": temporary})
            self.assertIn(done.returncode, (2, 4), name)
            self.assertIn(f"{name}.zip", done.stderr)
            self.assertEqual(os.listdir(temporary), [], name)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "up.txt")))

    # ---- mistakes ----

    def test_what_cannot_be_compared(self):
        self.project("one")
        self.cook("full", "one")
        Folder(os.path.join(self.folder, "loose"))
        for operands, message in (
                (["one"], "two operands are needed"),
                (["one", "one", "one"], "unexpected argument"),
                (["one", "nowhere"], "no such folder"),
                (["one", "one:7"], "no cook 7"),
                (["one", "loose"], "cannot be compared"),
                (["one", "loose:1"], "neither a project nor a store"),
                (["one", "one", "--target", "Phone"], "Phone has no store")):
            done = self.run_verb("diff", *operands)
            self.assertEqual(done.returncode, 2, operands)
            self.assertIn(message, done.stderr)

    # ---- cook incremental-compare ----

    def compare(self, status, *arguments):
        self.document("incremental-compare", "-C", "arena", *arguments, status=status)

    def test_a_clean_project(self):
        project = self.arena("clean")
        self.compare(0)
        self.edit(project, "value", "Characters/Champion", "Speed", "4.5")
        self.edit(project, "text", "Data/difficulty.txt", "3")
        self.compare(0)
        self.assertEqual(self.packages, {})
        self.assertGreater(self.summary["identical"], 50)
        stores = sorted(os.listdir(os.path.join(project.path, "Saved/Cook")))
        self.assertEqual(stores, ["Desktop", "Desktop.compare"])

    def test_the_faults_of_the_nightly(self):
        project = self.arena("hidden")
        self.cook("full", "arena")
        self.build(project, "silent")
        self.edit(project, "value", "Characters/Champion", "Speed", "4.5")
        weapons = ["Sword", "Dagger", "Bow", "Staff"]
        self.compare(1)
        self.assertEqual(sorted(self.packages), sorted("/Game/Weapons/" + w for w in weapons))
        self.edit(project, "text", "Data/difficulty.txt", "3")
        self.compare(1)
        self.assertEqual(self.counts()[:3], [0, 7, 0])
        difference = self.roots("/Game/Weapons/Sword")["Sword:DamagePerSecond"]
        self.assertEqual(difference["old_stack"], [])
        self.assertEqual(difference["new_stack"][0]["function"], "weapon_serialize")
        chances = self.roots("/Game/Loot/Boss")["Boss:Chances[0]"]
        self.assertEqual(chances["new_stack"][0]["function"], "table_serialize")
        self.assertIn("loot_table.c:", self.output)
        self.compare(1, "--stat")
        self.assertEqual(self.packages, {})

    # ---- callstacks of both sides ----

    def forget_binaries(self, project):
        """Remove the plugins' copies in the store: only what was recorded can name a frame."""
        folder = os.path.join(project.path, "Saved/Cook/Desktop/plugins")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))

    def check_stacks(self, difference):
        old, new = difference["old_stack"][0], difference["new_stack"][0]
        for frame in old, new:
            self.assertEqual(frame["function"], "weapon_serialize")
            self.assertTrue(frame["file"].endswith("weapon.c"), frame)
            self.assertGreater(frame["line"], 0)
        self.assertNotEqual(old["build_id"], new["build_id"])

    def test_stacks_of_both_sides_after_a_rebuild(self):
        project = self.arena("hidden")
        self.cook("full", "arena", "--record-callstacks")
        self.build(project, "silent")
        self.cook("full", "arena", "--record-callstacks")
        self.forget_binaries(project)
        self.diff("arena:1", "arena:2")
        self.check_stacks(self.roots("/Game/Weapons/Sword")["Sword:DamagePerSecond"])
        self.assertIn("old at weapon_serialize (", self.output)
        self.assertIn("new at weapon_serialize (", self.output)
        self.assertIn("this write differs in 4 packages: DamagePerSecond", self.output)
        done = self.run_verb("store", "gc", "-C", "arena")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.diff("arena:1", "arena:2")
        self.check_stacks(self.roots("/Game/Weapons/Sword")["Sword:DamagePerSecond"])

    def test_without_recording_there_are_no_stacks(self):
        project = self.arena("hidden")
        self.cook("full", "arena")
        self.build(project, "silent")
        self.cook("full", "arena", "--record-callstacks")
        self.diff("arena:1", "arena:2")
        difference = self.roots("/Game/Weapons/Sword")["Sword:DamagePerSecond"]
        self.assertEqual(difference["old_stack"], [])
        self.assertEqual(difference["new_stack"][0]["function"], "weapon_serialize")

    def test_recording_changes_nothing_else(self):
        project = self.arena("clean")
        self.cook("full", "arena")
        self.cook("full", "arena", "--record-callstacks")
        self.assertEqual(self.diff("arena:1", "arena:2", status=0), {})
        done = self.run_verb("store", "verify", "-C", "arena")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.run_verb("incremental", "-C", "arena")
        self.assertIn("new 0, recooked 2), skipped 57", done.stdout)  # two are opted out

    def test_validate_and_compare_show_the_kept_stacks(self):
        project = self.arena("hidden")
        self.cook("full", "arena", "--record-callstacks")
        self.build(project, "silent")
        self.edit(project, "value", "Characters/Champion", "Speed", "4.5")
        self.forget_binaries(project)
        document = self.document("incremental-validate", "-C", "arena", "--no-trace", status=1)
        finding, = [f for f in document["findings"] if f["package"] == "/Game/Weapons/Sword"]
        difference, = [d for d in finding["differences"]
                       if d["property"] == "Sword:DamagePerSecond"]
        self.check_stacks(difference)
        group, = [g for g in document["groups"] if g["property"] == "DamagePerSecond"]
        self.assertEqual(group["packages"], 4)
        self.compare(1, "--record-callstacks")
        self.check_stacks(self.roots("/Game/Weapons/Sword")["Sword:DamagePerSecond"])

    def test_a_failing_package(self):
        project = self.project("arena")
        project.write("Content/Maps/Bad.asset", b"{ no JSON")
        self.compare(3)
        self.assertEqual(self.counts(), [0, 0, 0, 3])


if __name__ == "__main__":
    BIN, PLUGINS, SAMPLES = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *(f"Compare.{name}" for name in sys.argv[4:])])
