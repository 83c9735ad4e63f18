#!/usr/bin/env python3
"""cook explain modified and audit: each recook with its change, both values, and what came of it.

    modified.py BUILD/bin FOLDER_OF_PLUGINS
"""
import contextlib
import json
import shutil
import sqlite3
import sys
import unittest

import kinds
from kinds import probe


class Modified(kinds.Project):
    def one(self, **what):
        self.asset("Root/A", probe(**what))
        self.start()

    def audit(self, *arguments):
        done = self.run_verb("explain", "audit", *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    # ---- each kind, with its values ----

    def test_config_names_layer_and_line(self):
        self.config("[S]\nK=1\n")
        self.one(save=["config S K"])
        self.config("; a comment\n[S]\nK=2\n")
        self.recooks("Root/A")
        self.explains("config", "[S] K", "1", "2", where="Config/DefaultGame.ini:3",
                      old_where="Config/DefaultGame.ini:2")
        text = self.run_verb("explain", "modified", "3").stdout.decode()
        self.assertIn("config [S] K: 1 -> 2 (was from Config/DefaultGame.ini:2, is from "
                      "Config/DefaultGame.ini:3)\n", text)
        self.config("")
        self.recooks("Root/A")
        self.explains("config", "[S] K", "2", "absent", where="no longer set",
                      old_where="Config/DefaultGame.ini:3")

    def test_command_line_and_environment(self):
        self.environment["COOK_TEST_A"] = "before"
        self.one(save=["token Quality", "env COOK_TEST_A"])
        self.tokens = ["-Quality=High"]
        self.recooks("Root/A")
        self.explains("cmdline", "Quality", "absent", "High")
        self.environment["COOK_TEST_A"] = "after"
        self.recooks("Root/A")
        self.explains("env", "COOK_TEST_A", "before", "after")

    def test_console_variable(self):
        self.config("[ConsoleVariables]\nr.Scale=1\n")
        self.one(save=["cvar r.Scale"])
        self.config("[ConsoleVariables]\nr.Scale=3\n")
        self.recooks("Root/A")
        self.explains("cvar", "r.Scale", "1", "3", where="Config/DefaultGame.ini:2",
                      old_where="Config/DefaultGame.ini:2")

    def test_file_that_appears(self):
        self.one(save=["file Data/x.txt"])
        self.write("Data/x.txt", "now")
        self.recooks("Root/A")
        self.explains("file", "Data/x.txt", "absent", self.explained["causes"][0]["new"], direct=1)

    def test_through_another_package(self):
        self.asset("B", probe(load=["config S K"]))
        self.one(save=["object /Game/B"])
        self.config("[S]\nK=2\n")
        self.recooks("B", "Root/A")
        self.explains("config", "[S] K", "absent", "2", direct=1, through=1)
        self.assertEqual([p["dependencies"][0].get("through") for p in self.explained["packages"]],
                         [None, "/Game/B"])

    def test_source_and_what_was_forgotten(self):
        self.one()
        self.asset("Root/A", probe(softs=["/Game/B.P"]))
        self.recooks("Root/A")
        self.explains("source", "/Game/Root/A", *(self.explained["causes"][0][k] for k in ("old", "new")))
        self.run_verb("store forget", "/Game/Root/A")
        self.recooks("Root/A")
        self.assertEqual([c["what"] for c in self.explained["causes"]], ["forced"])

    # ---- what came of it ----

    def test_outcomes(self):
        self.write("Data/x.txt", "1")
        self.asset("Root/B", probe(save=["file Data/x.txt"]))
        self.one(save=["exists Data/x.txt"])
        self.write("Data/x.txt", "2")
        self.recooks("Root/A", "Root/B")
        outcomes = {p["name"]: p["outcome"] for p in self.explained["packages"]}
        self.assertEqual(outcomes, {"/Game/Root/A": "identical", "/Game/Root/B": "changed"})
        self.assertEqual(self.explained["summary"]["identical"], 1)

    def test_yesterday_can_be_asked_today(self):
        self.config("[S]\nK=1\n")
        self.one(save=["config S K"])
        self.config("[S]\nK=2\n")
        self.recooks("Root/A")
        cook = self.explained["cook"]
        self.config("[S]\nK=3\n")
        self.recooks("Root/A")
        done = self.run_verb("explain", "modified", str(cook), "--json", "-")
        dep = json.loads(done.stdout)["packages"][0]["dependencies"][0]
        self.assertEqual((dep["old"], dep["new"]), ("1", "2"))

    def test_validation_keeps_as_many_cooks_as_the_config_says(self):
        self.one()
        for _ in range(3):
            self.run_verb("full")
        done = self.run_verb("incremental-validate", "--allow-write", "--ini", "Store.KeepCooks=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        with contextlib.closing(sqlite3.connect(self.path("Saved/Cook/Desktop/cook.db"))) as store:
            kept = store.execute("SELECT count(*) FROM cooks WHERE manifest IS NOT NULL")
            self.assertEqual(kept.fetchone()[0], 2)

    def test_nothing_is_explained_where_nothing_was_cooked(self):
        self.one(save=["config S K"])
        done = self.run_verb("incremental", "--diagnostic-modified")
        self.assertIn("cooked nothing", done.stdout.decode())
        done = self.run_verb("explain", "modified", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no incremental one", done.stderr.decode())

    def test_diagnostic_modified_writes_the_same(self):
        self.one(save=["config S K"])
        self.config("[S]\nK=2\n")
        done = self.run_verb("incremental", f"--diagnostic-modified={self.path('why.json')}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("why.json"), encoding="utf-8") as file:
            written = json.load(file)
        asked = json.loads(self.run_verb("explain", "modified", "--json", "-").stdout)
        self.assertEqual(written, asked)
        self.assertEqual(written["packages"][0]["dependencies"][0]["new"], "2")

    # ---- another store ----

    def test_against_another_store(self):
        self.config("[S]\nK=1\n")
        self.asset("Root/B", probe())
        self.one(save=["config S K"])
        shutil.copytree(self.path("Saved/Cook/Desktop"), self.path("farm"))
        self.config("[S]\nK=2\n")
        self.recooks("Root/A")
        done = self.run_verb("explain", "modified", "--against", self.path("farm"), "--json", "-")
        there = json.loads(done.stdout)
        self.assertEqual([p["name"] for p in there["packages"]], ["/Game/Root/A"])
        self.assertEqual([(c["key"], c["old"], c["new"]) for c in there["causes"]],
                         [("[S] K", "1", "2")])
        self.assertEqual(there["summary"]["same_key"], 2)

    # ---- the audit ----

    def test_audit_equals_what_the_cooks_say(self):
        """A planted dependency that shapes nothing is first, and wasted seconds are those of its recooks."""
        self.write("Data/planted.txt", "0")
        for name in "AB":
            self.asset(f"Root/{name}", probe(save=["exists Data/planted.txt"]))
        self.asset("Root/C", probe(save=["file Data/used.txt"]))
        self.one(save=["exists Data/planted.txt"])
        wasted = recooks = 0
        for i in range(1, 4):
            before = self.run_verb("store list").stdout.splitlines()
            self.write("Data/planted.txt", str(i))
            self.write("Data/used.txt", str(i))
            document = json.loads(self.run_verb("incremental", "--json", "-").stdout)
            same = {line.split()[2].decode() for line in
                    set(before) & set(self.run_verb("store list").stdout.splitlines())}
            for package in document["packages"]:
                if package["result"] == "recooked":
                    recooks += 1
                    wasted += package["seconds"] if package["name"] in same else 0
        audit = self.audit()
        self.assertEqual(audit["summary"]["recooks"], recooks)
        self.assertAlmostEqual(audit["summary"]["wasted_seconds"], wasted, places=6)
        first = audit["dependencies"][0]
        self.assertEqual((first["kind"], first["key"]), ("file", "Data/planted.txt"))
        self.assertEqual((first["recooks"], first["identical"], first["cooks"]), (6, 6, 3))
        used = [d for d in audit["dependencies"] if d["key"] == "Data/used.txt"][0]
        self.assertEqual((used["identical"], used["wasted_seconds"]), (0, 0))
        self.assertEqual(self.audit("--cooks", "1")["dependencies"][0]["recooks"], 2)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
