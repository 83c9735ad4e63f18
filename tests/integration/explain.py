#!/usr/bin/env python3
"""cook explain: what was recorded, who recorded it, and why a package recooks.

    explain.py BUILD/bin FOLDER_OF_PLUGINS
"""
import json
import sys
import unittest

import kinds
from kinds import probe


class Explain(kinds.Project):
    def setUp(self):
        super().setUp()
        self.asset("Root/A", probe(save=["object /Game/Root/B", "config S K"],
                                   event=["whole /Game/Root/B"]))
        self.asset("Root/B", probe(load=["file Data/b.txt", "function KindsTool"]))
        self.start()

    def explain(self, *arguments):
        done = self.run_verb("explain", *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_deps(self):
        rows = {(d["kind"], d["key"]): d
                for d in self.explain("deps", "/Game/Root/A")["dependencies"]}
        self.assertEqual(rows["file", "Data/b.txt"]["through"], "/Game/Root/B")
        self.assertEqual(rows["file", "Data/b.txt"]["value"], "absent")
        self.assertEqual(rows["source", "/Game/Root/A"]["set"], "load")
        self.assertEqual(rows["config", "[S] K"]["set"], "save")
        self.assertEqual(rows["package", "/Game/Root/B"]["set"], "whole")
        self.assertIn("declared", rows["package", "/Game/Root/B"]["how"])

    def test_deps_hidden_by_a_scope(self):
        document = self.explain("deps", "/Game/Root/A")
        self.assertEqual(document["hidden"], [])
        self.asset("Root/A", probe(load=["hidden file Data/h.txt", "file Data/seen.txt"],
                                   save=["hidden config S H"]))
        self.recooks("Root/A")
        document = self.explain("deps", "/Game/Root/A")
        self.assertEqual([(read["kind"], read["key"]) for read in document["hidden"]],
                         [("config", "[S] H"), ("file", "Data/h.txt")])
        keys = {dependency["key"] for dependency in document["dependencies"]}
        self.assertIn("Data/seen.txt", keys)
        self.assertFalse(keys & {"Data/h.txt", "[S] H"})
        self.assertEqual(self.rdeps("Data/h.txt"), set())
        self.assertEqual(self.explain("rdeps", "Data/h.txt")["hidden"],
                         [{"package": "/Game/Root/A", "kind": "file", "key": "Data/h.txt"}])
        text = self.run_verb("explain", "deps", "/Game/Root/A").stdout.decode()
        self.assertIn("hidden by a scope, and no dependency:\n    config [S] H\n"
                      "    file Data/h.txt\n", text)

    def rdeps(self, *key):
        return {(p["package"], p["kind"], p["direct"])
                for p in self.explain("rdeps", *key)["packages"]}

    def test_rdeps(self):
        self.assertEqual(self.rdeps("Data/b.txt"), {("/Game/Root/A", "file", False),
                                                    ("/Game/Root/B", "file", True)})
        self.assertEqual(self.rdeps("[S]", "K"), {("/Game/Root/A", "config", True)})
        self.assertEqual(self.rdeps("package", "/Game/Root/B"), {("/Game/Root/A", "package", True)})
        self.assertEqual(self.rdeps("Content/Root/B.asset"), self.rdeps("source", "/Game/Root/B"))
        self.assertEqual(self.rdeps("function", "KindsTool"),
                         {("/Game/Root/A", "function", False), ("/Game/Root/B", "function", True)})
        self.assertEqual(self.rdeps("nothing"), set())

    def test_why(self):
        self.assertTrue(self.explain("why", "/Game/Root/A")["skipped"])
        self.arguments = ["--ini", "S.K=2"]
        why = self.explain("why", "/Game/Root/A")
        self.assertEqual(why["reason"], "key changed")
        self.assertEqual(why["dependencies"], [{"kind": "config", "key": "[S] K", "old": "absent",
                                                "new": "2"}])
        self.assertEqual(self.run_verb("explain", "why", "/Game/Nope").returncode, 2)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
