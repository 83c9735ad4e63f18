#!/usr/bin/env python3
"""Packages, runtime references, artifact entries and staged files that an incremental cook keeps or leaves
out wrongly: `cook incremental-compare` finds them, `cook incremental-validate` finds that an input is not
declared, but no package that appears or vanishes.

    lost_edges.py BUILD/bin FOLDER_OF_PLUGINS
"""
import json
import sys
import unittest

import kinds
from kinds import probe


class LostEdges(kinds.Project):
    def setUp(self):
        super().setUp()
        self.asset("Old", probe())
        self.asset("New", probe())
        self.write("hidden.txt", "/Game/Old.P\n")
        self.asset("Root/Linker", probe(event=["hidden-links hidden.txt"]))
        self.start()

    def compare(self, status):
        path = self.path("compare.json")
        done = self.run_verb("incremental-compare", "--json", path)
        self.assertEqual(done.returncode, status, done.stderr)
        self.output = done.stdout.decode()
        with open(path, encoding="utf-8") as file:
            self.document = json.load(file)
        return {p["name"]: p["change"] for p in self.document["packages"]}

    def entries(self, file):
        artifact, = [a for a in self.document["artifacts"] if a["file"] == file]
        self.assertEqual(artifact["dropped_entries"], 0)
        return {(e["change"], e["entry"]) for e in artifact["entries"]}

    def test_nothing(self):
        self.assertEqual(self.compare(0), {})
        self.assertEqual(self.document["artifacts"], [])
        self.assertEqual(self.document["staged"], [])
        self.asset("Root/Linker", probe(event=["hidden-links hidden.txt"], softs=["/Game/New.P"]))
        self.assertEqual(self.compare(0), {})  # what is declared is no finding

    def test_a_declared_link(self):
        self.write("hidden.txt", "/Game/New.P\n")
        self.assertEqual(self.compare(1), {"/Game/New": "added", "/Game/Old": "deleted",
                                           "/Game/Root/Linker": "modified"})
        packages = {p["name"]: p for p in self.document["packages"]}
        self.assertEqual(packages["/Game/New"]["referrers"], ["/Game/Root/Linker"])
        linker = packages["/Game/Root/Linker"]
        self.assertEqual(linker["differences"], [])
        references = [(r["change"], r["kind"], r["path"], r["property"]) for r in linker["references"]]
        self.assertEqual(references, [("added", "hard", "/Game/New.P", None),
                                      ("deleted", "hard", "/Game/Old.P", None)])
        self.assertIn("added hard reference /Game/New.P, declared and not written", self.output)
        self.assertIn("runtime references added 1, deleted 1", self.output)
        self.assertEqual(self.entries("AssetRegistry.bin"), {
            ("added", "/Game/New.P"), ("deleted", "/Game/Old.P"),
            ("added", "/Game/Root/Linker -> /Game/New.P"),
            ("deleted", "/Game/Root/Linker -> /Game/Old.P")})
        self.assertEqual(self.entries("Chunk0.manifest"),
                         {("added", "Game/New.cooked"), ("deleted", "Game/Old.cooked")})
        self.assertEqual([(f["change"], f["file"]) for f in self.document["staged"]],
                         [("modified", "chunk0/Artifacts/AssetRegistry.bin"),
                          ("modified", "chunk0/Artifacts/Chunk0.manifest"),
                          ("added", "chunk0/Game/New.cooked"),
                          ("deleted", "chunk0/Game/Old.cooked")])
        # A comparison by recooking what is skipped sees no package come or go.
        path = self.path("validate.json")
        done = self.run_verb("incremental-validate", "--json", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(path, encoding="utf-8") as file:
            findings = [f["package"] for f in json.load(file)["findings"]]
        self.assertEqual(findings, ["/Game/Root/Linker"])

    def test_a_written_link(self):
        kept = self.path("Saved/kept")
        self.asset("Root/Linker", probe(links=["/Game/Old.P"]))
        self.assertEqual(self.cook(), 0)
        first = self.run_verb("store log").stdout
        self.assertTrue(first)
        self.asset("Root/Linker", probe(links=["/Game/New.P"]))
        self.run_verb("full", "--store-name", "Other", "-q")
        done = self.run_verb("diff", self.path("Saved/Cook/Desktop"), self.path("Saved/Cook/Other"),
                             "--json", kept)
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(kept, encoding="utf-8") as file:
            linker, = [p for p in json.load(file)["packages"] if p["name"] == "/Game/Root/Linker"]
        references = [(r["change"], r["path"], r["property"]) for r in linker["references"]]
        self.assertEqual(references, [("added", "/Game/New.P", "P:Links[0]"),
                                      ("deleted", "/Game/Old.P", "P:Links[0]")])
        self.assertIn(b"deleted hard reference /Game/Old.P, in P:Links[0]\n", done.stdout)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
