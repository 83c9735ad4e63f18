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

    def test_deps_by_which_call_in_which_hook(self):
        rows = {(d["kind"], d["key"]): d
                for d in self.explain("deps", "/Game/Root/A")["dependencies"]}
        origins = {key: (row.get("call"), row.get("hook"), row.get("hook_class"))
                   for key, row in rows.items()}
        kind = "/Script/Kinds.Probe"
        self.assertEqual(origins["config", "[S] K"], ("cook_config", "pre_save", kind))
        self.assertEqual(rows["config", "[S] K"]["how"], f"cook_config() in pre_save of {kind}")
        self.assertEqual(origins["file", "Data/b.txt"][1:], ("post_load", kind))
        self.assertEqual(rows["package", "/Game/Root/B"]["how"],
                         f"declared by cook_depend_package_whole() in on_cook_event of {kind}")
        self.assertEqual(origins["source", "/Game/Root/A"], (None, None, None))
        self.assertEqual(rows["source", "/Game/Root/A"]["how"], "automatic: the package was loaded")
        text = self.run_verb("explain", "rdeps", "[S] K").stdout.decode()
        self.assertEqual(text, "/Game/Root/A: config [S] K (save set)\n"
                               "    cook_config() in pre_save of /Script/Kinds.Probe\n")

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

    def chain(self, start, end):
        document = self.explain("chain", start, end)
        self.assertEqual(document["found"], bool(document["chain"]) or start == end)
        return [(step["from"], step["to"], step["kind"], step["path"])
                for step in document["chain"]]

    def test_chain(self):
        # A long way of hard references, and a short one with a soft reference in it.
        for name in "CDE":
            self.asset(f"Far/{name}", probe())
        self.asset("Far/C", probe(links=["/Game/Far/D.P"]))
        self.asset("Far/D", probe(links=["/Game/Far/E.P"]))
        self.asset("Root/Start", probe(links=["/Game/Far/C.P"], softs=["/Game/Far/D.P"]))
        self.assertEqual(self.cook(), 0, self.messages)
        self.assertEqual(self.chain("/Game/Root/Start", "/Game/Far/E"),
                         [("/Game/Root/Start", "/Game/Far/D", "soft", "/Game/Far/D.P"),
                          ("/Game/Far/D", "/Game/Far/E", "hard", "/Game/Far/E.P")])
        self.assertEqual(self.chain("/Game/Far/E", "/Game/Root/Start"), [])
        back = self.run_verb("explain", "chain", "/Game/Far/E", "/Game/Root/Start").stdout.decode()
        self.assertIn("run: cook explain chain /Game/Root/Start /Game/Far/E\n", back)
        self.assertEqual(self.chain("/Game/Root/Start", "/Game/Root/Start"), [])
        # Without the soft reference only the long way is left; a deleted package leads nowhere.
        self.asset("Root/Start", probe(links=["/Game/Far/C.P"]))
        self.assertEqual(self.cook(), 0, self.messages)
        self.assertEqual([step[1] for step in self.chain("/Game/Root/Start", "/Game/Far/E")],
                         ["/Game/Far/C", "/Game/Far/D", "/Game/Far/E"])
        self.remove("Content/Root/Start.asset")
        self.assertEqual(self.cook(), 0, self.messages)
        self.assertEqual(self.chain("/Game/Root/Start", "/Game/Far/E"), [])
        for wrong in ([], ["/Game/Far/C"], ["/Game/Far/C", "/Game/Nope"]):
            self.assertEqual(self.run_verb("explain", "chain", *wrong).returncode, 2)

    def not_cooked(self, name):
        document = self.explain("not-cooked", name)
        self.assertEqual(document["cooked"], document["reason"] == "cooked")
        return (document["reason"].split(":")[0],
                [(r["package"], r["edge"], r["reached"]) for r in document["referrers"]])

    def test_not_cooked(self):
        for name in ("Linked", "Lonely", "Banned", "Late", "Next"):
            self.asset(f"Far/{name}", probe())
        self.asset("Far/Lonely", probe(links=["/Game/Far/Next.P"]))
        self.asset("Root/Start", probe(links=["/Game/Far/Linked.P"], softs=["/Game/Far/Banned.P"]))
        self.write("cook.ini", kinds.INI.replace("[Incremental]",
                                                 "+NeverCook=/Game/Far/Ban*\n[Incremental]"))
        self.cook()
        self.assertEqual(self.not_cooked("/Game/Far/Linked"),
                         ("cooked", [("/Game/Root/Start", "hard", True)]))
        self.assertEqual(self.not_cooked("/Game/Far/Lonely"), ("not reached", []))
        self.assertEqual(self.not_cooked("/Game/Far/Next"),
                         ("not reached", [("/Game/Far/Lonely", "hard", False)]))
        self.assertEqual(self.not_cooked("/Game/Far/Banned"),
                         ("never cooked", [("/Game/Root/Start", "soft", True)]))
        reason = self.explain("not-cooked", "/Game/Far/Banned")["reason"]
        self.assertRegex(reason, r"cook\.ini:\d+: NeverCook=/Game/Far/Ban\*$")
        self.asset("Root/New", probe())
        self.assertEqual(self.not_cooked("/Game/Root/New"), ("new", []))
        self.asset("Root/New", "not an asset")
        self.cook()
        self.assertEqual(self.not_cooked("/Game/Root/New"), ("failed", []))
        self.remove("Content/Far/Linked.asset")
        self.assertEqual(self.not_cooked("/Game/Far/Linked"),
                         ("deleted", [("/Game/Root/Start", "hard", True)]))

    # ---- what if ----

    def impact(self, *keys):
        return sorted(p["name"] for p in self.explain("impact", *keys)["packages"])

    def test_impact_is_what_a_change_recooks(self):
        self.config("[S]\nK=1\n")
        self.assertEqual(self.cook(), 0)
        changes = (
            ("[S] K", lambda: self.config("[S]\nK=2\n")),
            ("Data/b.txt", lambda: self.write("Data/b.txt", "b")),
            ("/Game/Root/B", lambda: self.asset("Root/B", probe(load=["file Data/b.txt", "cvar x"]))),
        )
        for key, change in changes:
            self.cook()
            expected = self.impact(key)
            change()
            self.cook()
            recooked = sorted(n for n, r in self.results.items() if r == "recooked")
            self.assertEqual(expected, recooked, key)
            self.assertTrue(expected, key)
        self.assertEqual(self.impact("nothing"), [])
        as_printed = self.impact("file Data/b.txt")
        self.assertEqual(as_printed, self.impact("file", "Data/b.txt"))
        self.assertNotEqual(as_printed, [])
        self.assertEqual(self.run_verb("explain", "impact").returncode, 2)

    def test_impact_follows_whole_packages(self):
        self.assertEqual(self.impact("Data/b.txt"), ["/Game/Root/A", "/Game/Root/B"])
        self.asset("Root/C", probe(event=["whole /Game/Root/A"]))
        self.cook()
        rows = {p["name"]: p["through"]
                for p in self.explain("impact", "Data/b.txt")["packages"]}
        self.assertEqual(rows, {"/Game/Root/A": False, "/Game/Root/B": False, "/Game/Root/C": True})

    # ---- the graph, sizes, classes ----

    def test_graph(self):
        self.asset("Root/C", probe(links=["/Game/Root/D.P"]))
        self.asset("Root/D", probe(links=["/Game/Root/C.P"]))
        self.cook()
        graph = self.explain("graph")
        self.assertEqual(graph["summary"]["largest"], 2)
        self.assertEqual(sorted(graph["largest"]), ["/Game/Root/C", "/Game/Root/D"])
        self.assertGreaterEqual(graph["summary"]["speedup"], 1)
        dot = self.run_verb("explain", "graph", "dot").stdout.decode()
        self.assertIn('"/Game/Root/C" -> "/Game/Root/D";', dot)
        svg = self.run_verb("explain", "graph", "svg").stdout.decode()
        self.assertIn("<svg", svg)
        self.assertIn("/Game/Root/D", svg)
        self.assertEqual(self.run_verb("explain", "graph", "png").returncode, 2)

    def test_size_adds_up(self):
        size = self.explain("size", "/Game/Root/A")
        total = sum(p["bytes"] for p in size["properties"])
        parts = {p["name"]: p for p in size["properties"]}
        self.assertEqual(size["summary"]["leaked_bytes"], 0)
        self.assertEqual(parts["P:Save"]["bytes"], 0)  # in the source alone
        self.assertTrue(parts["P:Save"]["editor_only"])
        self.assertGreater(parts["P:Save"]["source_bytes"], 0)
        self.assertFalse(parts["P:Saved"]["editor_only"])
        self.assertIsNone(parts["P:Saved"]["source_bytes"])
        self.assertEqual(total, len(self.cat("Root/A")))
        self.assertEqual(size["summary"]["cooked_bytes"], total)
        names = {p["name"] for p in size["properties"]}
        self.assertIn("P:Saved", names)
        self.assertEqual(len(names), len(size["properties"]))

    def test_size_tells_of_leaks(self):
        self.asset("Root/Leak", probe(save=["leak"], event=["class /Script/Kinds.Probe"]))
        self.assertEqual(self.cook(), 0, self.messages)
        size = self.explain("size", "/Game/Root/Leak")
        self.assertEqual(size["summary"]["leaked_bytes"], 33)
        leaks = [p["name"] for p in size["properties"] if p["editor_only"] and p["bytes"]]
        self.assertEqual(leaks, ["P:Event"])
        text = self.run_verb("explain", "size", "/Game/Root/Leak").stdout.decode()
        self.assertIn("for the editor only, but cooked: 33 bytes\n    P:Event, 33 bytes: "
                      "/Script/Kinds.Probe flags it editor-only, and its serialize hook writes it\n", text)

    def test_class(self):
        class_name = "/Script/Kinds.Probe"
        before = self.explain("class", class_name)
        self.assertEqual((before["validations"], before["allowed"], before["packages"]), (0, True, 3))
        self.run_verb("incremental-validate")
        after = self.explain("class", class_name)
        self.assertEqual((after["validations"], after["validated_packages"]), (1, 3))
        self.assertEqual(sum(after["findings"].values()), 0)
        self.assertEqual(after["reads"]["config"], 1)
        self.arguments = ["--ini", f"Incremental.+ClassDenyList={class_name}"]
        self.assertFalse(self.explain("class", class_name)["allowed"])
        self.assertEqual(self.run_verb("explain", "class", "/Script/No.Such").returncode, 2)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
