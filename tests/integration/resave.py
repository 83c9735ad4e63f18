#!/usr/bin/env python3
"""cook resave: what an editor's save records is written into assets, and cooks go by it.

    resave.py BUILD/bin FOLDER_OF_PLUGINS
"""
import json
import os
import sys
import unittest

import kinds
from kinds import probe


class Resave(kinds.Project):
    def resave(self, *arguments, status=0):
        done = self.run_verb("resave", *arguments, "--json", "-")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)["summary"]

    def refused(self, package, reason):
        before = self.text("Root/A")
        done = self.run_verb("resave", package)
        self.assertEqual(done.returncode, 3)
        self.assertIn(reason, done.stderr.decode())
        self.assertEqual(self.text("Root/A"), before)

    def text(self, name):
        with open(self.path(f"Content/{name}.asset"), encoding="utf-8") as file:
            return file.read()

    def registry(self, name):
        return json.loads(self.text(name)).get("registry")

    def test_references_and_declared_dependencies_are_written(self):
        self.asset("Root/A", probe(links=["/Game/B.P"], softs=["/Game/C.P"],
                                   editor=["whole /Game/D", "runtime /Game/E"]))
        for name in "BCDE":
            self.asset(name, probe())
        self.assertEqual(self.resave("/Game/Root/A"), {"resaved": 1, "unchanged": 0, "failed": 0})
        self.assertEqual(self.registry("Root/A"), {
            "references": {"hard": ["/Game/B.P"], "soft": ["/Game/C.P", "/Game/E"]},
            "build": ["/Game/D"]})
        before = self.text("Root/A")
        self.assertEqual(self.resave("--all")["resaved"], 0)
        self.assertEqual(self.text("Root/A"), before)

    def test_a_reference_that_asks_for_nothing_is_recorded_as_that(self):
        label = {"name": "P", "class": "/Script/Cook.PrimaryAssetLabel",
                 "properties": {"Assets": [{"$soft": "/Game/B"}]}}
        self.asset("Root/A", json.dumps({"objects": [label]}))
        self.asset("B", probe())
        self.resave("/Game/Root/A")
        self.assertEqual(self.registry("Root/A"), {"references": {"true_soft": ["/Game/B"]}})

    def test_a_build_dependency_recooks_although_nothing_is_loaded(self):
        self.asset("Root/A", probe(editor=["whole /Game/Root/B"]))
        self.asset("Root/B", probe())
        self.resave("--all")
        self.start()
        self.asset("Root/B", probe(load=["config S K"]))
        self.recooks("Root/A", "Root/B")

    def test_other_dependencies_are_refused(self):
        for what, call in (("depend-config S K", "cook_depend_config"),
                           ("depend-file Data/x", "cook_depend_file"),
                           ("function KindsTool", "cook_depend_function"),
                           ("class /Script/Kinds.Probe", "cook_depend_class")):
            self.asset("Root/A", probe(editor=[what]))
            self.refused("/Game/Root/A", f"{call}: when an editor saves")

    def test_every_other_byte_stays(self):
        odd = ('{"registry":{"tags":{"Old":"1"}} ,\n\t"objects" : [ {"name":"P",'
               '"class":"/Script/Kinds.Probe", "properties":{"Links":[{"$ref":"/Game/B.P"}]} }\n]\n}')
        self.asset("B", probe())
        self.asset("Root/A", odd)
        self.resave("/Game/Root/A")
        after = self.text("Root/A")
        start, end = after.index('{"registry":') + len('{"registry":'), after.index(' ,\n\t"objects"')
        self.assertEqual(json.loads(after[start:end]), {"references": {"hard": ["/Game/B.P"]}})
        self.assertEqual(after[end:], odd[odd.index(' ,\n\t"objects"'):])
        self.asset("Root/A", after.replace('[{"$ref":"/Game/B.P"}]', "[]"))
        self.resave("/Game/Root/A")
        self.assertEqual(json.loads(self.text("Root/A")).keys(), {"objects"})

    def test_broken_assets_are_left_alone(self):
        self.asset("Root/A", '{ "objects": [ {')
        self.refused("/Game/Root/A", "Content/Root/A.asset:1")
        self.remove("Content/Root/A.asset")
        self.assertEqual(self.run_verb("resave", "/Game/Nope").returncode, 2)
        self.assertEqual(self.run_verb("resave").returncode, 2)

    def test_check_writes_nothing(self):
        self.asset("B", probe())
        self.asset("Root/A", probe(links=["/Game/B.P"]))
        before = self.text("Root/A")
        self.assertEqual(self.resave("--all", "--check", status=1)["resaved"], 1)
        self.assertEqual(self.text("Root/A"), before)
        self.resave("--all")
        self.assertEqual(self.resave("--all", "--check")["resaved"], 0)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
