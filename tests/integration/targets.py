#!/usr/bin/env python3
"""Several targets in one cook: each store is as if its target had been cooked alone.

    targets.py BUILD/bin FOLDER_OF_PLUGINS
"""
import json
import os
import shutil
import sys
import unittest

import kinds
from kinds import probe


class Targets(kinds.Project):
    def setUp(self):
        super().setUp()
        self.write("Config/Desktop/Game.ini", "[S]\nK=desktop\n")
        self.write("Config/Mobile/Game.ini", "[S]\nK=mobile\n")
        self.asset("Root/A", probe(save=["config S K"], links=["/Game/B.P"]))
        self.asset("Root/Sided", probe())
        self.write("Content/Root/Sided.asset.cook", "{}")
        self.asset("B", probe(load=["config S K"]))

    def cook_targets(self, verb, *targets, status=0):
        options = [word for target in targets for word in ("--target", target)]
        done = self.run_verb(verb, *options, "--json", "-")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def listings(self):
        return {target: self.run_verb("store list", "--target", target).stdout
                for target in ("Desktop", "Mobile")}

    def test_two_at_once_equal_one_after_the_other(self):
        both = self.cook_targets("full", "Desktop", "Mobile")
        self.assertEqual([d["target"] for d in both["targets"]], ["Desktop", "Mobile"])
        self.assertEqual(both["summary"]["cooked"],
                         sum(d["summary"]["cooked"] for d in both["targets"]))
        together = self.listings()
        self.assertNotEqual(together["Desktop"], together["Mobile"])
        shutil.rmtree(self.path("Saved"))
        self.cook_targets("full", "Desktop")
        self.cook_targets("full", "Mobile")
        self.assertEqual(self.listings(), together)

    def test_each_target_recooks_what_changed_for_it(self):
        self.cook_targets("full", "Desktop", "Mobile")
        null = self.cook_targets("incremental", "Desktop", "Mobile")
        self.assertEqual([d["summary"]["cooked"] for d in null["targets"]], [0, 0])
        self.write("Config/Mobile/Game.ini", "[S]\nK=tablet\n")
        again = self.cook_targets("incremental", "Desktop", "Mobile")
        self.assertEqual([d["summary"]["cooked"] for d in again["targets"]], [0, 2])
        self.write("Content/Root/Sided.asset.cook", "{ }")
        again = self.cook_targets("incremental", "Mobile", "Desktop")
        self.assertEqual([d["summary"]["cooked"] for d in again["targets"]], [1, 1])

    def test_a_store_made_beside_another_sees_changes(self):
        self.cook_targets("full", "Desktop")
        self.cook_targets("incremental", "Desktop", "Mobile")
        self.asset("B", probe(load=["config S K", "cvar x"]))
        self.remove("Content/Root/Sided.asset.cook")
        again = self.cook_targets("incremental", "Mobile")
        self.assertEqual({p["name"] for p in again["packages"] if p["result"] != "skipped"},
                         {"/Game/B", "/Game/Root/Sided"})

    def test_a_target_that_cannot_be_cooked_does_not_stop_the_next(self):
        self.cook_targets("full", "Desktop", "Mobile")
        path = self.path("Saved/Cook/Desktop/cook.db")
        with open(path, "r+b") as file:
            file.write(b"not a database at all")
        os.remove(self.path("Saved/Cook/Desktop/index.bin"))
        self.asset("B", probe(load=["config S K", "cvar x"]))
        done = self.run_verb("incremental", "--target", "Desktop", "--target", "Mobile",
                             "--json", "-")
        self.assertEqual(done.stderr.count(b"cook: target Desktop: "), 1)
        document = json.loads(done.stdout)
        desktop, mobile = document["targets"]
        self.assertEqual(desktop["target"], "Desktop")
        self.assertNotIn("summary", desktop)
        self.assertIn("cook.db", desktop["error"])
        self.assertEqual(mobile["summary"]["recooked"], 1)
        self.assertEqual(document["summary"]["recooked"], 1)
        self.assertEqual(document["exit_statuses"], [done.returncode])
        self.assertNotEqual(done.returncode, 0)

    def test_wrong_use(self):
        done = self.run_verb("full", "--target", "Desktop", "--target", "Desktop")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"named twice", done.stderr)
        done = self.run_verb("stage", "--target", "A", "--target", "B", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"takes one --target", done.stderr)
        self.asset("Root/Broken", "{")
        document = self.cook_targets("full", "Desktop", "Mobile", status=3)
        self.assertEqual(document["exit_statuses"], [3])


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
