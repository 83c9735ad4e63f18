#!/usr/bin/env python3
"""The Mechanisms sample: each mechanism of the class SDK does what its file says.

Changing an input recooks exactly the packages that use it, and a null cook follows.

    mechanisms.py BUILD/bin FOLDER_OF_PLUGINS PROJECT [TEST…]
"""
import json
import os
import shutil
import sys
import tempfile
import unittest
import zipfile

import kinds

SAMPLE = None
CREATURES = ["Parts/Bear", "Parts/Companion", "Parts/Spare", "Parts/Wolf"]
TRAINERS = ["Show/BuildOnly", "Show/MovedPet", "Show/Runtime", "Show/Trainer"]
WHOLE = ["Show/Encounter", "Show/Portrait"]


class Mechanisms(kinds.Project):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(SAMPLE, self.folder, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("Saved", "CMakeFiles"))
        self.arguments = []
        self.tokens = []
        self.environment = dict(os.environ)
        self.messages = ""

    def build(self, variant):
        plugin = self.path("Plugins/mechanisms/build/mechanisms.so")
        shutil.copyfile(os.path.join(kinds.PLUGINS, f"mechanisms_{variant}.so"), plugin + ".new")
        os.replace(plugin + ".new", plugin)

    def edit(self, path, old, new):
        with open(self.path(path), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def set(self, key, value):
        with open(self.path("Config/DefaultGame.ini"), encoding="utf-8") as file:
            lines = [f"{key}={value}" if line.startswith(key + "=") else line
                     for line in file.read().splitlines()]
        self.assertIn(f"{key}={value}", lines)
        self.config("\n".join(lines) + "\n")

    def cook(self, verb="incremental"):
        status = super().cook(verb)
        self.omitted = [name for name, result in self.results.items() if result == "omitted"]
        for name in self.omitted:
            del self.results[name]
        return status

    def run_sound(self, verb, *arguments):
        done = self.run_verb(verb, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.decode()

    def bytes(self, name):
        done = self.run_verb("store cat", "/Game/" + name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def files(self):
        return [line.split(None, 2)[2] for line in self.run_sound("store list").splitlines()]

    def staged(self, chunk):
        self.run_sound("stage", self.path("Staged"))
        with zipfile.ZipFile(self.path(f"Staged/chunk{chunk}.zip")) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    # ---- the whole sample ----

    def test_the_sample_is_clean(self):
        self.start()
        self.assertEqual(self.messages, "")
        for name, result in self.results.items():
            self.assertEqual(result, "skipped", name)
        self.assertIn("would resave 0,", self.run_sound("resave", "--all", "--check"))
        said = self.run_sound("full", "--lint-inputs", "--json", self.path("lint.json"))
        with open(self.path("lint.json"), encoding="utf-8") as file:
            seen = json.load(file)["tracing"]["complete"] # nothing is, in a build with sanitizers
        self.assertIn(f"undeclared inputs 0, excepted {1 if seen else 0}", said)
        said = self.run_sound("determinism")
        self.assertIn("unstable bytes 0, unstable dependencies 0, failed 0", said)

    def test_validation_is_clean(self):
        self.start()
        self.set("Speed", 4)
        self.edit("Content/Parts/Wolf.asset", "41", "42")
        said = self.run_sound("incremental-validate")
        self.assertIn("false skips 0, indeterminate 0, both 0, vanished replays 0, failed 0", said)

    # ---- what is read ----

    def test_the_source(self):
        self.start()
        self.edit("Content/Show/Source.asset", "by itself", "by itself!")
        self.recooks("Show/Source")

    def test_settings(self):
        self.start()
        self.set("Speed", 4)
        self.recooks("Show/Config")
        self.assertIn(b"speed 4", self.bytes("Show/Config"))
        self.set("mechanisms.Detail", "low")
        self.recooks("Show/Variable")
        self.assertIn(b"detail low", self.bytes("Show/Variable"))
        self.tokens = ["-Quality=best"]
        self.recooks("Show/Token")
        self.tokens = ["-Other", "-Quality=best"]
        self.recooks()
        self.environment["MECHANISMS_REGION"] = "north"
        self.recooks("Show/Environment")

    def test_files(self):
        self.start()
        os.utime(self.path("Data/table.txt"))
        self.recooks()
        self.write("Data/table.txt", "4,5\n")
        self.recooks("Show/File")
        self.write("Data/override.txt", "me\n")
        self.recooks("Show/OptionalFile")
        self.assertIn(b"overridden by me", self.bytes("Show/OptionalFile"))
        self.write("Data/Banks/rain.txt", "more rain\n")
        self.recooks()
        self.write("Data/Banks/wind.txt", "wind\n")
        self.recooks("Show/Folder")
        self.assertIn(b"birds.txt rain.txt wind.txt", self.bytes("Show/Folder"))

    def test_the_registry(self):
        self.start()
        shutil.copy(self.path("Content/Parts/Wolf.asset"), self.path("Content/Parts/Fox.asset"))
        self.recooks("Show/Query")
        self.edit("Content/Parts/Fox.asset", "41", "42")
        self.recooks()
        self.edit("Config/DefaultGame.ini", "-> /Game/Parts/Wolf", "-> /Game/Parts/Fox")
        self.recooks("Show/Redirect")
        self.assertIn(b"/Game/Parts/Fox", self.bytes("Show/Redirect"))
        self.assertIn(b"/Game/Parts/Bear", self.bytes("Show/MovedPet"))
        self.edit("Content/Parts/Renamed.asset", "Bear.Main", "Wolf.Main")
        self.recooks("Show/MovedPet")
        self.assertIn(b"/Game/Parts/Wolf", self.bytes("Show/MovedPet"))
        self.assertNotIn(b"Renamed", self.bytes("Show/MovedPet"))

    def test_other_packages(self):
        self.start()
        self.edit("Content/Parts/Wolf.asset", "41", "43")
        self.recooks("Parts/Wolf", "Show/Trainer")  # not Show/Keeper
        self.assertIn(b"/Game/Parts/Wolf 86", self.bytes("Show/Trainer"))
        self.set("Rounding", 5)  # of the save set
        self.recooks(*CREATURES, *WHOLE)
        self.set("PowerScale", 3)  # of the load set
        self.recooks(*CREATURES, *WHOLE, *TRAINERS)

    def test_scopes(self):
        self.start()
        self.set("Chatty", 1)
        self.recooks()
        self.assertTrue(self.reached("Parts/Spare"))
        self.assertFalse(self.reached("Parts/Template"))
        self.edit("Content/Parts/Template.asset", '"Strength": 10', '"Strength": 11')
        self.recooks("Show/BuildOnly")

    # ---- what is declared ----

    def test_declared_dependencies(self):
        self.start()
        self.write("Data/middleware.cfg", "gain=5\n")
        self.recooks("Show/Middleware")
        self.assertIn(b"gain=5", self.bytes("Show/Middleware"))
        self.write("Data/exporter.txt", "exporter 2.0\n")
        self.recooks("Show/Exported")

    def test_the_class_schema(self):
        self.start()
        self.set("RecipeFormat", "rich")
        self.recooks("Show/Cookbook", "Show/Layout", "Show/Recipe")

    def test_versions(self):
        self.start()
        self.build("recipe")
        self.recooks("Show/Cookbook", "Show/Layout", "Show/Recipe")
        self.build("stats")  # and the recipe's first version again
        self.recooks("Show/Cookbook", "Show/Layout", "Show/Recipe", *CREATURES, *WHOLE, *TRAINERS)

    def test_the_editors_save(self):
        with open(self.path("Content/Show/Encounter.asset"), encoding="utf-8") as file:
            registry = json.load(file)["registry"]
        self.assertEqual(registry, {"references": {"soft": ["/Game/Parts/Companion"]},
                                    "build": ["/Game/Parts/Bear"]})
        self.start()
        self.assertTrue(self.reached("Parts/Companion"))
        self.edit("Content/Show/Encounter.asset", "/Game/Parts/Companion", "/Game/Parts/Bonus")
        done = self.run_verb("resave", "--all", "--check")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(b"/Game/Show/Encounter", done.stdout)

    # ---- what is saved ----

    def test_runtime_references(self):
        self.start()
        self.assertTrue(self.reached("Parts/Subtitles") and self.reached("Parts/TrailEnd"))
        self.edit("Content/Show/Trail.asset", '"Follow": true', '"Follow": false')
        self.run_sound("resave", "/Game/Show/Trail")  # an editor would have done so
        self.recooks("Show/Trail")
        self.assertFalse(self.reached("Parts/TrailEnd"))
        self.assertNotIn(b"TrailEnd", self.bytes("Show/Trail"))

    def test_configurations(self):
        self.start()  # for the client
        self.assertEqual(self.omitted, ["/Game/Show/ServerOnly"])
        self.assertNotIn("/Game/Show/ServerOnly", self.files())
        self.assertNotIn(b"drop rate", self.bytes("Show/Rules"))
        self.arguments = ["--configuration", "server"]
        self.cook()
        self.arguments = []
        self.assertEqual(self.omitted, [])
        self.assertIn(b"drop rate", self.bytes("Show/Rules"))
        self.assertIn("/Game/Show/ServerOnly", self.files())

    def test_what_is_for_authors(self):
        self.start()
        self.assertFalse(self.reached("Parts/Sketch") or self.reached("Parts/Bonus"))
        saved = self.bytes("Show/Editor")
        self.assertNotIn(b"Ruler", saved)
        self.assertNotIn(b"editor_only.c", saved)
        self.assertIn(b"/Game/Parts/Bonus", saved)

    def test_additional_files_and_transforms(self):
        self.start()
        self.assertIn("/Game/Show/Bank.files/bank.bnk", self.files())
        self.set("HopsPerThread", 5)  # read on another thread
        self.recooks("Show/Async")
        self.remove("Content/Show/Bank.asset")
        self.cook()
        self.assertNotIn("/Game/Show/Bank.files/bank.bnk", self.files())

    def test_a_difference_has_the_text_of_the_class(self):
        self.start()
        self.build("walls")  # other code, the same versions
        self.recooks()
        done = self.run_verb("incremental-validate")
        said = done.stdout.decode()
        self.assertEqual(done.returncode, 1, said + done.stderr.decode())
        self.assertIn("/Game/Show/Map", said)
        self.assertIn("....##..#.", said)

    def test_the_reader(self):
        self.start()
        self.write("Content/Show/Hello.note", "title: Goodbye\n")
        self.recooks("Show/Hello.note")
        self.assertIn(b"Goodbye", self.bytes("Show/Hello.note"))
        self.write("Content/Show/Hello.note", "nothing\n")
        self.recooks("Show/Hello.note", status=3)
        self.assertIn("Content/Show/Hello.note:1: expected 'title: '", self.messages)

    # ---- what the whole cook makes ----

    def test_tags_the_artifact_and_the_label(self):
        self.start()
        first = self.staged(0)
        self.assertIn(b"CreatureStrength", first["Artifacts/AssetRegistry.bin"])
        self.assertNotIn(b"kept from the runtime", first["Artifacts/AssetRegistry.bin"])
        self.assertEqual(first["Artifacts/Bestiary.txt"], b"/Game/Parts/Bear 154\n"
                         b"/Game/Parts/Companion 30\n/Game/Parts/Spare 40\n/Game/Parts/Wolf 82\n")
        self.assertNotIn("Game/Parts/Bear.cooked", first)
        self.assertIn("Game/Parts/Bear.cooked", self.staged(5))
        self.edit("Content/Parts/Spare.asset", '"Strength": 20', '"Strength": 25')
        self.recooks("Parts/Spare", "Show/Runtime")
        self.edit("Content/Labels/Bonus.asset", '"Chunk": 5', '"Chunk": 6')
        self.recooks()
        self.assertIn("Game/Parts/Bear.cooked", self.staged(6))
        self.assertIn(b"/Game/Parts/Spare 50\n", self.staged(0)["Artifacts/Bestiary.txt"])


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS, SAMPLE = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
