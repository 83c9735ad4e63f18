#!/usr/bin/env python3
"""Outputs of the whole cook: an incremental cook leaves what a full one would.

After each of a series of edits the store that was cooked incrementally and a fresh one that was
cooked in full list the same files (packages, additional files, artifacts) and stage the same bytes.

    artifacts.py BUILD/bin FOLDER_OF_PLUGINS [TEST…]
"""
import filecmp
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

BIN = PLUGINS = None

INI = """[Project]
Name=Art
+ContentRoot=/Game=Content
+Plugin=Plugins/art.so
[Cook]
+AlwaysCook=/Game/*
+NeverCook=/Game/Never/*
+Startup=/Game/A
[Incremental]
+ClassScriptPackageAllowList=<ProjectRoot>
[AssetRegistry]
+Tag=Bank*
[Chunks]
+Rule=/Game/A:1:0
+Rule=/Game/Maps/*:2:3
+Rule=/Game/Maps/Side:3:3
+Parent=4:3
"""

FRAGMENT = """#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(%s); }
"""


def asset(text, following=None, later=None, streams=0):
    properties = {"Text": text, "Streams": streams}
    if following:
        properties["Next"] = {"$ref": following}
    if later:
        properties["Later"] = {"$soft": later}
    return json.dumps({"objects": [{"name": "B", "class": "/Script/Art.Bank",
                                    "properties": properties}]})


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.project = os.path.join(self.folder, "project")
        self.fresh = os.path.join(self.folder, "fresh")
        self.install("art")
        self.write("cook.ini", INI)
        self.write("Content/A.asset", asset("first", "/Game/B", "/Game/Own", streams=3))
        self.write("Content/Own.asset", asset("own"))
        self.write("Content/B.asset", asset("second"))
        self.write("Content/C.asset", asset("third", later="/Game/B", streams=1))
        self.write("Content/Maps/Main.asset", asset("main", "/Game/C"))
        self.write("Content/Maps/Side.asset", asset("side", "/Game/C"))
        self.write("Content/Shared.frag", FRAGMENT % "1.0")
        self.write("Content/Twin.frag", FRAGMENT % "1.0")
        self.write("Content/Other.frag", FRAGMENT % "0.5")

    def install(self, name):
        target = os.path.join(self.project, "Plugins", "art.so")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(PLUGINS, name + ".so"), target + ".new")
        os.rename(target + ".new", target)

    def write(self, name, text):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def remove(self, name):
        os.remove(os.path.join(self.project, name))

    def run_cook(self, *arguments, project=None, status=0, environment=None):
        done = subprocess.run([os.path.join(BIN, "cook"), *arguments, "-C",
                               project or self.project], capture_output=True, text=True,
                              env={**os.environ, **(environment or {})}, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def cook(self, kind="incremental"):
        return self.run_cook(kind)

    def stage(self, project, *options):
        out = os.path.join(project, "Staged" + "".join(options))
        self.run_cook("stage", *options, out, project=project)
        return out

    def assert_same_folders(self, left, right):
        def files(root):
            return sorted(os.path.relpath(os.path.join(folder, name), root)
                          for folder, _, names in os.walk(root) for name in names)
        self.assertEqual(files(left), files(right))
        _, mismatch, errors = filecmp.cmpfiles(left, right, files(left), shallow=False)
        self.assertEqual((mismatch, errors), ([], []))

    def assert_as_fresh(self):
        """The project against a fresh full cook of a copy."""
        shutil.rmtree(self.fresh, ignore_errors=True)
        shutil.copytree(self.project, self.fresh,
                        ignore=shutil.ignore_patterns("Saved", "Staged*"))
        self.run_cook("full", project=self.fresh)
        self.assertEqual(self.run_cook("store", "list"),
                         self.run_cook("store", "list", project=self.fresh))
        self.assert_same_folders(self.stage(self.project), self.stage(self.fresh))
        self.assert_same_folders(self.stage(self.project, "--loose"),
                                 self.stage(self.fresh, "--loose"))
        self.assertIn("all sound", self.run_cook("store", "verify"))

    def staged(self, chunk):
        """The names in a chunk's zip file, without artifacts."""
        path = os.path.join(self.stage(self.project), f"chunk{chunk}.zip")
        if not os.path.exists(path):
            return None
        with zipfile.ZipFile(path) as archive:
            return [name for name in archive.namelist() if not name.startswith("Artifacts/")]

    def artifact(self, name):
        with zipfile.ZipFile(os.path.join(self.stage(self.project), "chunk0.zip")) as archive:
            return archive.read("Artifacts/" + name)

    def shader_count(self):
        magic, version, modules, packages = struct.unpack_from("<4I",
                                                               self.artifact("ShaderLibrary.bin"))
        self.assertEqual((magic, version), (0x4C534B43, 1))
        return modules, packages


class Incremental(Case):
    def test_a_series_of_edits_leaves_what_a_full_cook_would(self):
        self.cook()
        self.assert_as_fresh()
        edits = [
            lambda: self.write("Content/B.asset", asset("changed")),
            lambda: self.write("Content/D.asset", asset("new", "/Game/A", streams=2)),
            lambda: self.remove("Content/C.asset"),
            lambda: self.write("Content/Other.frag", FRAGMENT % "1.0"),
            lambda: self.write("Content/Twin.frag", FRAGMENT % "0.25"),
            lambda: self.remove("Content/Shared.frag"),
            lambda: self.write("Content/C.asset", asset("back", "/Game/D")),
            lambda: self.write("Content/A.asset", asset("first", streams=1)),
            lambda: self.write("Content/Maps/Side.asset", asset("side", "/Game/A")),
            lambda: os.rename(os.path.join(self.project, "Content/B.asset"),
                              os.path.join(self.project, "Content/Moved.asset")),
            lambda: self.write("Content/Maps/Main.asset", asset("main", "/Game/Moved")),
        ]
        for edit in edits:
            edit()
            self.run_cook("incremental", status=0)
            self.assert_as_fresh()

    def test_several_edits_at_once(self):
        self.cook()
        self.remove("Content/B.asset")
        self.remove("Content/Other.frag")
        self.write("Content/A.asset", asset("other", "/Game/E", streams=5))
        self.write("Content/E.asset", asset("e"))
        self.write("Content/New.frag", FRAGMENT % "0.75")
        self.cook()
        self.assert_as_fresh()

    def test_other_rules_without_other_packages(self):
        self.cook()
        self.write("cook.ini", INI.replace("/Game/Maps/*:2:3", "/Game/Maps/*:7:3")
                   .replace("+Tag=Bank*", "+Tag=*"))
        self.assertIn("skipped 9", self.cook())
        self.assert_as_fresh()
        self.assertIsNone(self.staged(2))
        self.assertIn(b"for tools only", self.artifact("AssetRegistry.bin"))

    def test_a_lost_state_is_made_anew(self):
        """A cook whose row names no outputs, as an interrupted one leaves it."""
        self.cook()
        database = os.path.join(self.project, "Saved/Cook/Desktop/cook.db")
        if not os.path.exists(database):
            database = next(os.path.join(folder, "cook.db") for folder, _, names
                            in os.walk(self.project) if "cook.db" in names)
        import sqlite3
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE cooks SET outputs = x'00112233445566778899aabbccddeeff'")
        connection.close()
        self.write("Content/B.asset", asset("changed"))
        self.cook()
        self.assert_as_fresh()

    def test_validation_compares_files_and_parts(self):
        self.cook()
        self.assertIn("false skips 0", self.run_cook("incremental-validate"))
        self.write("loud.txt", "read behind the back of the cook")
        self.cook()
        said = self.run_cook("incremental-validate", status=1)
        self.assertIn("additional file streams/0.wem differs", said)
        self.assertIn("its part of the artifact AssetRegistry differs", said)
        self.run_cook("incremental-validate", "--allow-write", status=1)
        self.assertIn("false skips 0", self.run_cook("incremental-validate"))
        self.assert_as_fresh()


class Contents(Case):
    def test_equal_shaders_are_stored_once(self):
        self.cook()
        self.assertEqual(self.shader_count(), (2, 3))
        self.write("Content/Other.frag", FRAGMENT % "1.0")
        self.cook()
        self.assertEqual(self.shader_count(), (1, 3))
        self.remove("Content/Other.frag")
        self.remove("Content/Twin.frag")
        self.remove("Content/Shared.frag")
        self.cook()
        self.assertEqual(self.shader_count(), (0, 0))

    def test_only_allowed_tags_reach_the_runtime(self):
        self.cook()
        registry = self.artifact("AssetRegistry.bin")
        self.assertIn(b"BankText", registry)
        self.assertIn(b"/Script/Art.Bank", registry)
        self.assertNotIn(b"Secret", registry)
        self.assertNotIn(b"replaced", registry)

    def test_a_plugins_artifact(self):
        self.cook()
        self.assertEqual(self.artifact("Words.txt").decode(),
                         "/Game/A=first\n/Game/B=second\n/Game/C=third\n"
                         "/Game/Maps/Main=main\n/Game/Maps/Side=side\n/Game/Own=own\n")

    def test_additional_files_come_and_go_with_their_package(self):
        self.cook()
        listed = self.run_cook("store", "list")
        for name in ("bank.bnk", "streams/0.wem", "streams/2.wem"):
            self.assertIn("/Game/A.files/" + name, listed)
        self.assertNotIn("/Game/B.files", listed)
        self.write("Content/A.asset", asset("first"))
        self.cook()
        self.assertNotIn("/Game/A.files", self.run_cook("store", "list"))

    def test_chunks(self):
        self.cook()
        # A starts up and loads B, which the maps' chunks want too; Own it only leads to. The maps go
        # to chunk 2, Side to 3 as well, and all that it leads to.
        self.assertIn("Game/B.cooked", self.staged(0))
        self.assertEqual(self.staged(1), ["Game/Own.cooked"])
        self.assertEqual(self.staged(2), ["Game/C.cooked",
                                          "Game/C.files/bank.bnk",
                                          "Game/C.files/streams/0.wem", "Game/Maps/Main.cooked",
                                          "Game/Maps/Side.cooked"])
        self.assertEqual(self.staged(3), [name for name in self.staged(2) if "Main" not in name])
        self.assertIn("Game/A.cooked", self.staged(0))

    def test_a_label_has_a_chunk(self):
        self.cook()
        label = {"objects": [{"name": "L", "class": "/Script/Cook.PrimaryAssetLabel", "properties": {
            "Rule": "AlwaysCook", "Priority": 9, "Chunk": 6, "Assets": [{"$soft": "/Game/C"}]}}]}
        self.write("Content/L.asset", json.dumps(label))
        self.cook()
        self.assertIn("Game/C.cooked", self.staged(6) or [])
        self.assertNotIn("Game/C.cooked", self.staged(2))
        self.assert_as_fresh()

    def write_label(self, name, chunk, priority):
        label = {"objects": [{"name": "L", "class": "/Script/Cook.PrimaryAssetLabel", "properties": {
            "Rule": "AlwaysCook", "Priority": priority, "Chunk": chunk,
            "Assets": [{"$soft": "/Game/C"}]}}]}
        self.write(f"Content/{name}.asset", json.dumps(label))
        self.cook()
        self.assert_as_fresh()

    def test_labels_of_equal_rank_each_have_a_copy(self):
        def holders():
            return [chunk for chunk in range(9)
                    if "Game/C.cooked" in (self.staged(chunk) or [])]
        self.cook()
        self.write_label("L", 6, 9)
        self.assertEqual(holders(), [6])
        self.write_label("M", 7, 9)
        self.assertEqual(holders(), [6, 7])
        for chunk in (6, 7):
            self.assertIn(b" Game/C.cooked", self.artifact(f"Chunk{chunk}.manifest"))
        self.write_label("M", 8, 9)
        self.assertEqual(holders(), [6, 8])
        self.write_label("M", 8, 10)
        self.assertEqual(holders(), [8])
        # All negatives rank equal.
        self.write_label("L", 6, -1)
        self.write_label("M", 8, -5)
        self.assertNotIn(8, holders())  # the maps of chunk 2 and 3 outrank both
        self.assertNotIn(6, holders())

    def test_a_soft_reference_that_leads_elsewhere(self):
        """A redirect changes nothing that is cooked, but what belongs to chunk 1."""
        self.cook()
        self.assertEqual(self.staged(1), ["Game/Own.cooked"])
        self.write("Content/Another.asset", asset("another"))
        self.cook()
        self.write("cook.ini", INI + "[Redirects]\n+Redirect=/Game/Own -> /Game/Another\n")
        self.cook()
        self.assert_as_fresh()

    def test_a_rule_that_is_none_is_named(self):
        self.write("cook.ini", INI + "+Rule=/Game/A:x:0\n")
        self.assertIn("GLOB:CHUNK:PRIORITY", self.run_cook("full", status=2))
        self.write("cook.ini", INI + "+Parent=3:4\n")
        self.assertIn("cycle", self.run_cook("full", status=2))


class Crashing(Case):
    def test_a_fold_that_crashes_is_reported_and_tried_again(self):
        self.install("art_crashing")
        said = self.run_cook("full", status=3)
        self.assertIn("artifact Words", said)
        self.install("art")
        self.cook()
        self.assert_as_fresh()


class Staging(Case):
    def test_zip_files_do_not_depend_on_the_time_zone(self):
        self.cook()
        left = self.stage(self.project)
        right = os.path.join(self.folder, "elsewhere")
        self.run_cook("stage", right, environment={"TZ": "Asia/Tokyo"})
        self.assert_same_folders(left, right)

    def test_only_what_was_staged_is_deleted(self):
        self.cook()
        out = self.stage(self.project, "--loose")
        own = os.path.join(out, "chunk0", "Game", "notes.txt")
        with open(own, "w", encoding="utf-8") as file:
            file.write("mine")
        self.remove("Content/C.asset")
        self.cook()
        self.stage(self.project, "--loose")
        self.assertFalse(os.path.exists(os.path.join(out, "chunk2/Game/C.cooked")))
        self.assertFalse(os.path.exists(os.path.join(out, "chunk2/Game/C.files")))
        self.assertTrue(os.path.exists(own))
        self.run_cook("stage", out)
        self.assertTrue(os.path.exists(own))
        self.assertFalse(os.path.exists(os.path.join(out, "chunk2")))

    def test_what_was_not_staged_is_not_replaced(self):
        self.cook()
        out = os.path.join(self.folder, "out")
        os.makedirs(out)
        with open(os.path.join(out, "chunk0.zip"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.assertIn("not written by cook stage", self.run_cook("stage", out, status=4))
        self.assertEqual(os.listdir(out), ["chunk0.zip"])

    def test_links_below_the_folder_are_not_followed(self):
        self.cook()
        out = os.path.join(self.folder, "out")
        outside = os.path.join(self.folder, "outside")
        os.makedirs(os.path.join(out, "chunk0"))
        os.makedirs(outside)
        os.symlink(outside, os.path.join(out, "chunk0", "Game"))
        self.run_cook("stage", "--loose", out, status=4)
        self.assertEqual(os.listdir(outside), [])

    def test_a_list_that_names_the_outside_deletes_nothing(self):
        self.cook()
        out = self.stage(self.project)
        victim = os.path.join(self.folder, "victim")
        with open(victim, "w", encoding="utf-8") as file:
            file.write("mine")
        with open(os.path.join(out, ".cook-stage"), "a", encoding="utf-8") as file:
            file.write(f"../../victim\n{victim}\n")
        self.stage(self.project)
        self.assertTrue(os.path.exists(victim))

    def test_without_a_cook(self):
        self.assertIn("cook full", self.run_cook("stage", os.path.join(self.folder, "o"), status=2))


if __name__ == "__main__":
    BIN, PLUGINS = (os.path.realpath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
