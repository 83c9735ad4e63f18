"""The graph search: what each kind of edge, scope, rule and configuration makes of a small project.

    graph.py BIN PLUGINS
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN, PLUGINS = sys.argv[1:3]
INI = """[Project]
Name=Graph
+ContentRoot=/Game=Content
+Plugin={plugin}
[Cook]
+Map=/Game/A
[Incremental]
+ClassScriptPackageAllowList=<ProjectRoot>
"""


class GraphTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        os.mkdir(os.path.join(self.folder, "Content"))
        self.write("cook.ini", INI.format(plugin=os.path.join(PLUGINS, "graph_test.so")))
        self.node("B")

    def tearDown(self):
        self._folder.cleanup()

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def asset(self, name, class_name, **properties):
        self.write(f"Content/{name}.asset", json.dumps({"objects": [
            {"name": "Main", "class": class_name, "properties": properties}]}))

    def node(self, name, **properties):
        self.asset(name, "/Script/Graph.Node", **properties)

    def part(self, name, **properties):
        self.asset(name, "/Script/Graph.Part", **properties)

    def not_cooked(self, name):
        done = subprocess.run([os.path.join(BIN, "cook-explain"), "not-cooked", f"/Game/{name}", "-C",
                               self.folder, "--json", "-"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        return document["reason"], [(r["package"], r["edge"]) for r in document["referrers"]]

    def cook(self, *options, verb="incremental"):
        """Result by package; the messages are kept for the test to look at."""
        path = os.path.join(self.folder, "out.json")
        done = subprocess.run([os.path.join(BIN, f"cook-{verb}"), "-C", self.folder, "--workers",
                               "1", "--json", path, *options], capture_output=True, text=True)
        self.messages = done.stderr
        self.status = done.returncode
        with open(path) as file:
            self.document = json.load(file)
        return {package["name"].removeprefix("/Game/"): package["result"]
                for package in self.document["packages"]}

    # ---- edges ----

    def test_hard_and_soft_references_are_edges(self):
        self.node("A", Link={"$ref": "/Game/B"}, Soft={"$soft": "/Game/C"})
        self.node("C")
        self.assertEqual(self.cook(), {"A": "new", "B": "new", "C": "new"})

    def test_references_of_a_side_file_are_facts(self):
        """The registry knows them before the cook: a load of what they name is expected."""
        self.node("A", Loads="/Game/D")
        self.node("C")
        self.node("D")
        self.write("Content/A.asset.cook", json.dumps({
            "Link": {"$ref": "/Game/B"}, "Soft": {"$soft": "/Game/C"},
            "Note": {"$ref": "/Game/D"}}))
        self.assertEqual(self.cook(), {"A": "new", "B": "new", "C": "new"})
        self.assertEqual(self.messages, "")
        self.write("Content/A.asset.cook", json.dumps({"Objects": {"Main": {
            "Hint": {"$soft": "/Game/D"}}}}))
        self.assertEqual(self.cook(), {"A": "recooked"})
        self.assertEqual(self.messages, "")
        os.remove(os.path.join(self.folder, "Content/A.asset.cook"))
        self.assertEqual(self.cook(), {"A": "recooked", "D": "new"})
        self.assertIn("unexpected load of /Game/D", self.messages)

    def test_editor_only_and_true_soft_references_are_none(self):
        self.node("A", Note={"$ref": "/Game/B"}, Hint={"$soft": "/Game/C"})
        self.node("C")
        self.assertEqual(self.cook(), {"A": "new"})
        self.assertEqual(self.not_cooked("B"),
                         ("not reached: the cook refers to it only by what is not saved",
                          [("/Game/A", "editor-only")]))
        self.assertEqual(self.not_cooked("C"),
                         ("not reached: the cook refers to it only by what is not saved",
                          [("/Game/A", "soft, asks for nothing")]))

    def test_editor_only_references_are_kept_on_demand(self):
        self.node("A", Note={"$ref": "/Game/B"})
        self.assertEqual(self.cook(), {"A": "new"})
        self.assertEqual(self.cook("--keep-editor-only"), {"A": "recooked", "B": "new"})
        self.assertEqual(self.cook(), {"A": "recooked"})

    def test_what_only_the_registry_knows_is_an_edge(self):
        self.node("A", Elsewhere={"$ref": "/Game/B"})
        self.assertEqual(self.cook(), {"A": "new", "B": "new"})
        self.assertEqual(self.cook(), {"A": "skipped", "B": "skipped"})

    def test_a_package_that_leaves_the_graph_leaves_the_cook_and_its_result_stays(self):
        self.node("A", Link={"$ref": "/Game/B"})
        self.cook()
        self.node("A")
        self.assertEqual(self.cook(), {"A": "recooked"})
        self.node("A", Link={"$ref": "/Game/B"})
        self.assertEqual(self.cook(), {"A": "recooked", "B": "skipped"})

    # ---- unexpected loads ----

    def test_an_unexpected_load_is_added_with_a_warning(self):
        self.node("A", Loads="/Game/B")
        self.assertEqual(self.cook(), {"A": "new", "B": "new"})
        self.assertIn("unexpected load of /Game/B by cook_dereference in pre_save of "
                      "/Script/Graph.Node", self.messages)

    def test_a_load_that_the_registry_names_is_expected(self):
        self.node("A", Loads="/Game/B", Note={"$ref": "/Game/B"})
        self.assertEqual(self.cook(), {"A": "new"})
        self.assertNotIn("unexpected", self.messages)

    def test_scopes_say_what_a_load_is_for(self):
        self.node("A", Loads="/Game/B", Scope="build")
        self.assertEqual(self.cook(), {"A": "new"})
        self.assertNotIn("unexpected", self.messages)
        self.node("A", Loads="/Game/B", Scope="runtime")
        self.assertEqual(self.cook(), {"A": "recooked", "B": "new"})
        self.assertNotIn("unexpected", self.messages)

    # ---- the root set ----

    def label(self, **properties):
        self.asset("L", "/Script/Cook.PrimaryAssetLabel", **properties)

    def test_a_label_makes_roots(self):
        self.node("A")
        self.node("UI/C")
        self.label(Rule="AlwaysCook", Assets=[{"$soft": "/Game/B"}], Folders=["/Game/UI"])
        self.assertEqual(self.cook(), {"A": "new", "B": "new", "UI/C": "new"})

    def test_a_label_without_a_rule_makes_none(self):
        self.node("A")
        self.label(Assets=[{"$soft": "/Game/B"}])
        self.assertEqual(self.cook(), {"A": "new"})

    def test_development_only_is_not_shipped(self):
        self.node("A")
        self.label(Rule="DevelopmentCook", Assets=[{"$soft": "/Game/B"}])
        self.assertEqual(set(self.cook()), {"A", "B"})
        self.assertEqual(set(self.cook("--ini", "Cook.Shipping=true")), {"A"})

    def test_a_label_forbids_a_map_and_is_named(self):
        self.node("A")
        self.label(Rule="NeverCook", Assets=[{"$soft": "/Game/A"}])
        self.assertEqual(self.cook(), {})
        self.assertIn("map /Game/A is never cooked: label /Game/L.Main", self.messages)

    # ---- needs_load_for ----

    def test_a_part_of_another_configuration_is_null_and_its_package_omitted(self):
        self.node("A", Link={"$ref": "/Game/P"}, Soft={"$soft": "/Game/P"})
        self.part("P", Only="server")
        self.assertEqual(self.cook(), {"A": "new", "P": "omitted"})
        self.assertEqual(self.not_cooked("P")[0],
                         "omitted: nothing of it is saved for this target")
        self.assertEqual(self.status, 0)
        self.assertEqual(self.cook(), {"A": "skipped", "P": "omitted"})
        self.assertEqual(self.cook("--configuration", "server"), {"A": "recooked", "P": "recooked"})

    def test_only_what_changes_the_answer_recooks_the_referrer(self):
        self.node("A", Link={"$ref": "/Game/P"})
        self.part("P", Only="client", Value=1)
        self.assertEqual(self.cook(), {"A": "new", "P": "new"})
        self.part("P", Only="client", Value=2)
        self.assertEqual(self.cook(), {"A": "skipped", "P": "recooked"})
        self.part("P", Only="server", Value=2)
        self.assertEqual(self.cook(), {"A": "recooked"})

    def test_the_messages_of_an_omitted_package_are_replayed(self):
        self.node("A", Soft={"$soft": "/Game/P"})
        self.part("P", Only="server", Warns=True)
        self.assertEqual(self.cook(), {"A": "new", "P": "omitted"})
        self.assertIn("warning: /Game/P: loaded with a warning", self.messages)
        self.assertEqual(self.cook(), {"A": "skipped", "P": "omitted"})
        self.assertIn("warning: /Game/P: [incremental replay] loaded with a warning", self.messages)

    def test_an_omitted_package_waits_for_the_whole_key_of_another(self):
        self.node("A", Soft={"$soft": "/Game/P"})
        self.part("P", Only="server", Whole="/Game/B")
        self.assertEqual(self.cook(), {"A": "new", "P": "omitted"})
        self.node("A", Soft={"$soft": "/Game/P"}, Link={"$ref": "/Game/B"})
        self.assertEqual(self.cook(), {"A": "recooked", "B": "new", "P": "omitted"})
        self.assertEqual(self.cook(), {"A": "skipped", "B": "skipped", "P": "omitted"})
        reasons = {package["name"]: package["reason"] for package in self.document["packages"]}
        self.assertEqual(reasons["/Game/P"], "unchanged")
        self.assertEqual(self.document["summary"]["omitted"], 1)

    # ---- save errors ----

    def test_a_reference_written_but_not_harvested_fails_and_is_named(self):
        self.node("A", Late=True)
        self.assertEqual(self.cook(), {"A": "failed"})
        self.assertIn("Main:Late: reference to /Game/B was written but not harvested",
                      self.messages)

    def test_a_runtime_reference_added_while_writing_fails(self):
        self.node("A", Adds="harvest")
        self.assertEqual(self.cook(), {"A": "new", "B": "new"})
        self.node("A", Adds="write")
        self.assertEqual(self.cook(), {"A": "failed"})
        self.assertIn("a runtime reference to /Game/B was added while writing", self.messages)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
