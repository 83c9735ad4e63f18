#!/usr/bin/env python3
"""One test of each kind of dependency.

Changing an input alone recooks exactly the packages that used it, and a null cook follows; an equal
value recooks nothing; appearing and vanishing count. Each test has a project of its own, made of
probes (plugin/kinds.h), which read what their properties say.

    kinds.py BUILD/bin FOLDER_OF_PLUGINS [TEST…]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = PLUGINS = None

INI = """[Project]
Name=Kinds
+ContentRoot=/Game=Content
+Plugin=Plugins/kinds.so
[Cook]
+AlwaysCook=/Game/Root/*
[Incremental]
+ClassScriptPackageAllowList=<ProjectRoot>
"""


def probe(load=(), save=(), event=(), editor=(), links=(), softs=(), class_name="Probe", name="P"):
    """An asset file with one probe."""
    properties = {"Load": list(load), "Save": list(save), "Event": list(event), "Editor": list(editor),
                  "Links": [{"$ref": path} for path in links],
                  "Softs": [{"$soft": path} for path in softs]}
    return json.dumps({"objects": [{"name": name, "class": "/Script/Kinds." + class_name,
                                    "properties": properties}]})


def redirector(target, name="P"):
    return json.dumps({"objects": [{"name": name, "class": "/Script/Cook.ObjectRedirector",
                                    "properties": {"Target": {"$ref": target}}}]})


class Project(unittest.TestCase):
    """A project of probes, and cooks of it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.arguments = []
        self.tokens = []
        self.environment = dict(os.environ)
        self.messages = ""
        self.write("cook.ini", INI)
        os.makedirs(self.path("Content/Root"))
        self.build("base")
        self.asset("Root/Bystander", probe())

    # ---- the project ----

    def path(self, path):
        return os.path.join(self.folder, path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)

    def asset(self, name, text):
        self.write(f"Content/{name}.asset", text)

    def config(self, text):
        self.write("Config/DefaultGame.ini", text)

    def remove(self, path):
        os.remove(self.path(path))

    def build(self, variant):
        """Another build of the plugin; a linker replaces its output too."""
        os.makedirs(self.path("Plugins"), exist_ok=True)
        shutil.copyfile(os.path.join(PLUGINS, f"kinds_{variant}.so"), self.path("Plugins/new"))
        os.replace(self.path("Plugins/new"), self.path("Plugins/kinds.so"))

    # ---- cooking ----

    def run_verb(self, verb, *arguments):
        command = [os.path.join(BIN, "cook"), *verb.split(), *arguments, "-C", self.folder,
                   *(self.arguments if verb not in ("store cat",) else []), "--", *self.tokens]
        return subprocess.run(command, capture_output=True, env=self.environment, timeout=120,
                              check=False)

    def cook(self, verb="incremental"):
        document = self.path("document.json")
        done = self.run_verb(verb, "--workers", "2", "--json", document)
        self.messages = done.stderr.decode()
        with open(document, encoding="utf-8") as file:
            packages = json.load(file)["packages"]
        self.results = {p["name"]: p["result"] for p in packages}
        return done.returncode

    def start(self):
        self.assertEqual(self.cook("full"), 0, self.messages)
        self.null_cook()

    def null_cook(self):
        self.cook()
        again = [name for name, result in self.results.items() if result != "skipped"]
        self.assertEqual(again, [], "a null cook cooked something\n" + self.messages)

    def recooks(self, *names, status=0):
        """An incremental cook that cooks exactly these, and then a null cook."""
        self.assertEqual(self.cook(), status, self.messages)
        cooked = sorted(name for name, result in self.results.items() if result != "skipped")
        self.assertEqual(cooked, sorted("/Game/" + name for name in names), self.messages)
        self.check_explanation(cooked)
        if status == 0:
            self.null_cook()

    def check_explanation(self, cooked):
        """What was cooked is explained, each change with an old and a new value; nothing else is."""
        done = self.run_verb("explain", "modified", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.explained = json.loads(done.stdout)
        packages = self.explained["packages"]
        self.assertEqual([p["name"] for p in packages], cooked)
        for package in packages:
            changed = package["reason"] == "key changed"
            self.assertEqual(bool(package["dependencies"]), changed, package)
            for dep in package["dependencies"]:
                self.assertNotEqual(dep["old"], dep["new"], dep)

    def explains(self, kind, key, old, new, **more):
        """The last cook was made by this change alone."""
        cause = self.explained["causes"][0]
        self.assertEqual(len(self.explained["causes"]), 1, self.explained["causes"])
        wanted = {"kind": kind, "key": key, "old": old, "new": new, **more}
        self.assertEqual({name: cause[name] for name in wanted}, wanted)

    def cat(self, name):
        done = self.run_verb("store cat", "/Game/" + name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def reached(self, name):
        return "/Game/" + name in self.results


class Kinds(Project):
    # ---- kinds that are read from a file of the project ----

    def test_source(self):
        self.asset("Root/A", probe())
        self.start()
        self.asset("Root/A", probe(save=["config S K"]))
        self.recooks("Root/A")
        self.asset("Root/A", probe(save=["config S K"]))  # other times, same bytes
        self.recooks()
        self.write("Content/Root/A.asset.cook", "{}")
        self.recooks("Root/A")
        self.remove("Content/Root/A.asset.cook")
        self.recooks("Root/A")
        self.asset("Root/B", probe())
        self.recooks("Root/B")
        self.remove("Content/Root/B.asset")
        self.recooks()
        self.assertFalse(self.reached("Root/B"))

    def test_file(self):
        self.asset("Root/Load", probe(load=["file Data/a.txt"]))
        self.asset("Root/Save", probe(save=["file Data/a.txt"]))
        self.asset("Root/Beside", probe(save=["file ./beside.txt"]))
        self.asset("Root/Exists", probe(save=["exists Data/b.txt"]))
        self.asset("Root/Declared", probe(event=["depend-file Data/b.txt"]))
        self.asset("Root/Hidden", probe(save=["hidden file Data/a.txt"]))
        self.start()
        self.write("Data/a.txt", "one")  # appears
        self.recooks("Root/Load", "Root/Save")
        self.write("Data/a.txt", "two")
        self.recooks("Root/Load", "Root/Save")
        self.write("Data/a.txt", "two")
        self.recooks()
        self.remove("Data/a.txt")
        self.recooks("Root/Load", "Root/Save")
        self.write("Data/b.txt", "")
        self.recooks("Root/Exists", "Root/Declared")
        self.write("Content/Root/beside.txt", "near")
        self.recooks("Root/Beside")
        self.assertIn(b"near", self.cat("Root/Beside"))

    def test_folder(self):
        self.asset("Root/Lists", probe(save=["folder Data/list"]))
        self.asset("Root/Hidden", probe(load=["hidden folder Data/list"]))
        self.start()
        os.makedirs(self.path("Data/list"))  # appears, empty
        self.recooks("Root/Lists")
        self.write("Data/list/a.txt", "one")
        self.recooks("Root/Lists")
        self.write("Data/list/a.txt", "two")  # only a listing was read
        self.recooks()
        self.write("Data/list/.hidden", "")
        self.recooks()
        os.rename(self.path("Data/list/a.txt"), self.path("Data/list/b.txt"))
        self.recooks("Root/Lists")
        self.remove("Data/list/b.txt")
        os.makedirs(self.path("Data/list/b.txt"))  # a folder of the same name
        self.recooks("Root/Lists")
        shutil.rmtree(self.path("Data/list"))
        self.recooks("Root/Lists")

    def test_reader_of_an_extension_that_nothing_reads(self):
        self.write("Content/Root/strange.xyz", "?")
        self.start()
        self.assertFalse(self.reached("Root/strange.xyz"))

    # ---- config, console variables, tokens, environment ----

    def test_config(self):
        self.asset("Root/Load", probe(load=["config S K"]))
        self.asset("Root/Save", probe(save=["config S K", "config S L"]))
        self.asset("Root/Declared", probe(event=["depend-config S L"]))
        self.asset("Root/Hidden", probe(save=["hidden config S K"]))
        self.start()
        self.config("[S]\nOther=1\n")
        self.recooks()
        self.config("[S]\nK=1\n")
        self.recooks("Root/Load", "Root/Save")
        self.config("; moved\n[S]\nM=3\nK = 1\n")  # an equal value in another place
        self.recooks()
        self.config("[S]\nL=1\nK=1\n")
        self.recooks("Root/Save", "Root/Declared")
        self.arguments = ["--ini", "S.K=2"]
        self.recooks("Root/Load", "Root/Save")
        self.arguments = []
        self.recooks("Root/Load", "Root/Save")
        self.config("[S]\nL=1\nK=\n")  # set to nothing is not the same as not set
        self.recooks("Root/Load", "Root/Save")
        self.config("[S]\nL=1\n")
        self.recooks("Root/Load", "Root/Save")

    def test_console_variable(self):
        self.asset("Root/Reads", probe(save=["cvar r.Quality"]))
        self.asset("Root/Config", probe(save=["config S r.Quality"]))
        self.asset("Root/Hidden", probe(save=["hidden cvar r.Quality"]))
        self.start()
        self.config("[ConsoleVariables]\nr.Quality=1\n")
        self.recooks("Root/Reads")
        self.config("[ConsoleVariables]\nr.Other=1\nr.Quality=1\n")
        self.recooks()
        self.config("[ConsoleVariables]\nr.Quality=2\n")
        self.recooks("Root/Reads")
        self.config("")
        self.recooks("Root/Reads")

    def test_command_line(self):
        self.asset("Root/Reads", probe(save=["token Quality"]))
        self.asset("Root/Load", probe(load=["token Fast"]))
        self.asset("Root/Hidden", probe(save=["hidden token Quality"]))
        self.start()
        self.tokens = ["-Unrelated=1"]
        self.recooks()
        self.tokens = ["-Quality=high"]
        self.recooks("Root/Reads")
        self.assertIn(b"high;", self.cat("Root/Reads"))
        self.tokens = ["-Unrelated", "-Quality=low", "--Quality=high"]  # the last one counts
        self.recooks()
        self.tokens = ["-Quality"]
        self.recooks("Root/Reads")
        self.tokens = ["-Quality="]  # the same text
        self.recooks()
        self.tokens = ["-QualityMore=1", "-Fast"]
        self.recooks("Root/Reads", "Root/Load")
        self.tokens = ["-q", "--help", "-Fast"]  # not ours
        self.recooks()

    def test_environment(self):
        self.asset("Root/Reads", probe(load=["env KINDS_TEST"]))
        self.asset("Root/Hidden", probe(load=["hidden env KINDS_TEST"]))
        self.start()
        self.environment["KINDS_OTHER"] = "1"
        self.recooks()
        self.environment["KINDS_TEST"] = ""
        self.recooks("Root/Reads")
        self.environment["KINDS_TEST"] = "x"
        self.recooks("Root/Reads")
        del self.environment["KINDS_TEST"]
        self.recooks("Root/Reads")

    # ---- the registry ----

    def test_query(self):
        glob = "/Game/Things/*"
        self.asset("Root/Exact", probe(save=[f"query /Script/Kinds.Versioned - {glob}"]))
        self.asset("Root/Family", probe(save=[f"query /Script/Kinds.Versioned children {glob}"]))
        self.asset("Root/Glob", probe(save=[f"query - - {glob}"]))
        self.asset("Root/Hidden", probe(save=[f"hidden query - - {glob}"]))
        self.asset("Things/One", probe(class_name="Versioned"))
        self.start()
        self.assertFalse(self.reached("Things/One"))
        self.asset("Things/One", probe(class_name="Versioned", save=["config S K"]))
        self.recooks()  # it changed, the results did not
        self.asset("Things/Two", probe(class_name="Heir"))
        self.recooks("Root/Family", "Root/Glob")
        self.assertIn(b"/Game/Things/Two.P;", self.cat("Root/Family"))
        self.asset("Things/Three", probe(class_name="Made"))
        self.recooks("Root/Glob")
        self.asset("Things/One", probe(class_name="Versioned", name="Renamed"))
        self.recooks("Root/Exact", "Root/Family", "Root/Glob")
        self.remove("Content/Things/Two.asset")
        self.recooks("Root/Family", "Root/Glob")
        self.asset("Elsewhere/Four", probe(class_name="Heir"))
        self.recooks()

    def test_query_whose_classes_get_another_parent(self):
        self.build("later")
        self.asset("Root/Family", probe(save=["query /Script/Kinds.Versioned children"]))
        self.asset("Root/Exact", probe(save=["query /Script/Kinds.Versioned -"]))
        self.asset("Things/One", probe(class_name="Later"))
        self.start()
        self.build("later_versioned")
        self.recooks("Root/Family")
        self.build("later")
        self.recooks("Root/Family")

    def test_reference(self):
        self.asset("Root/Hard", probe(links=["/Game/Things/One"]))
        self.asset("Root/Soft", probe(softs=["/Game/Things/One"]))
        self.start()
        self.assertIn("does not exist", self.messages)
        self.asset("Things/One", probe())  # appears: an edge of both
        self.recooks("Root/Hard", "Things/One")
        self.asset("Things/One", probe(save=["config S K"]))  # its bytes are nobody's business
        self.recooks("Things/One")
        self.asset("Things/One", probe(class_name="Versioned"))
        self.recooks("Root/Hard", "Things/One")
        self.remove("Content/Things/One.asset")
        self.recooks("Root/Hard")

    def test_dereference(self):
        self.asset("Root/Reads", probe(save=["object /Game/Things/One"]))
        self.asset("Root/Declares", probe(event=["package /Game/Things/One"]))
        self.asset("Root/Hidden", probe(save=["hidden object /Game/Things/One"]))
        self.asset("Things/One", probe(load=["file Data/a.txt"], save=["file Data/b.txt"]))
        self.start()
        self.assertIn("unexpected load of /Game/Things/One", self.messages)  # and so it is cooked
        self.write("Data/a.txt", "seen")  # of its load set
        self.recooks("Root/Reads", "Root/Declares", "Things/One")
        self.assertIn(b"seen;", self.cat("Root/Reads"))
        self.write("Data/b.txt", "not seen")  # of its save set
        self.recooks("Things/One")
        self.remove("Content/Things/One.asset")
        self.recooks("Root/Reads", "Root/Declares")

    def test_redirect_by_config(self):
        self.asset("Root/Asks", probe(save=["redirect /Game/Old.P"]))
        self.asset("Root/Hard", probe(links=["/Game/Old.P"]))
        self.asset("Root/Soft", probe(softs=["/Game/Old.P"]))
        self.asset("Root/Hidden", probe(save=["hidden redirect /Game/Old.P"]))
        self.asset("Old", probe())
        self.asset("New", probe())
        self.start()
        self.assertTrue(self.reached("Old") and not self.reached("New"))
        self.config("[Redirects]\n+Redirect=/Game/Unrelated -> /Game/New\n")
        self.recooks()
        self.config("[Redirects]\n+Redirect=/Game/Old -> /Game/New\n")
        self.recooks("Root/Asks", "Root/Hard", "Root/Soft", "New")
        self.assertTrue(self.reached("New") and not self.reached("Old"))
        for name in "Root/Asks", "Root/Hard", "Root/Soft":
            self.assertIn(b"/Game/New", self.cat(name))
            if name != "Root/Asks":
                self.assertNotIn(b"/Game/Old", self.cat(name))
        self.config("")
        self.recooks("Root/Asks", "Root/Hard", "Root/Soft")

    def test_redirect_by_object(self):
        self.asset("Root/Asks", probe(save=["redirect /Game/Old.P"]))
        self.asset("Root/Hard", probe(links=["/Game/Old.P"]))
        self.asset("Root/Soft", probe(softs=["/Game/Old.P"]))
        self.asset("Root/Reads", probe(save=["object /Game/Old.P"]))
        self.asset("Old", probe())
        self.start()
        os.rename(self.path("Content/Old.asset"), self.path("Content/New.asset"))
        self.asset("Old", redirector("/Game/New.P"))
        self.recooks("Root/Asks", "Root/Hard", "Root/Soft", "Root/Reads", "New")
        self.assertFalse(self.reached("Old"))
        for name in "Root/Hard", "Root/Soft":
            self.assertIn(b"/Game/New", self.cat(name))
            self.assertNotIn(b"/Game/Old", self.cat(name))
        self.asset("New", probe(load=["config S K"]))
        self.recooks("New", "Root/Reads")
        self.remove("Content/Old.asset")
        self.recooks("Root/Asks", "Root/Hard", "Root/Soft", "Root/Reads")

    def test_redirect_of_a_reference_that_nothing_is_behind(self):
        self.asset("Root/Soft", probe(softs=["/Game/Old.P"]))
        self.start()
        self.config("[Redirects]\n+Redirect=/Game/Old -> /Game/New\n")
        self.recooks("Root/Soft")
        self.assertIn(b"/Game/New.P", self.cat("Root/Soft"))
        self.asset("New", probe())
        self.recooks("New")

    # ---- classes ----

    def test_custom_version(self):
        self.asset("Root/Versioned", probe(class_name="Versioned"))
        self.asset("Root/Heir", probe(class_name="Heir"))
        self.start()
        self.build("version")
        self.recooks("Root/Versioned", "Root/Heir")
        self.build("base")
        self.recooks("Root/Versioned", "Root/Heir")

    def test_constructed_class(self):
        self.asset("Root/Maker", probe(class_name="Maker"))
        self.asset("Root/Made", probe(class_name="Made"))
        self.start()
        self.build("made")
        self.recooks("Root/Maker", "Root/Made")
        self.build("base")
        self.recooks("Root/Maker", "Root/Made")
        self.build("later")  # a class that the maker names is registered only now
        self.recooks("Root/Maker", "Root/Made")

    def test_class(self):
        later = "/Script/Kinds.Later"
        self.asset("Root/Declares", probe(event=[f"class {later}"]))
        self.asset("Root/Hidden", probe(save=[f"hidden class {later}"]))
        self.asset("Root/Versioned", probe(event=["class /Script/Kinds.Versioned"]))
        self.start()
        self.build("later")  # registered now
        self.recooks("Root/Declares")
        self.build("later_versioned")
        self.recooks("Root/Declares")
        self.build("base")
        self.recooks("Root/Declares")
        self.build("version")
        self.recooks("Root/Versioned")

    # ---- whole packages ----

    def test_whole_package(self):
        self.asset("Root/A", probe(event=["whole /Game/Root/B"]))
        self.asset("Root/B", probe(load=["file Data/load.txt"], save=["file Data/save.txt"]))
        self.asset("Root/Over", probe(event=["whole /Game/Root/A"]))
        self.start()
        self.write("Data/save.txt", "1")
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.write("Data/load.txt", "1")
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.asset("Root/B", probe())
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.write("Data/save.txt", "2")  # nobody reads it now
        self.recooks()

    def test_whole_package_that_appears(self):
        self.asset("Root/A", probe(event=["whole /Game/Root/B"]))
        self.asset("Root/C", probe(event=["whole /Game/Apart"]))
        self.asset("Apart", probe())
        self.start()
        self.asset("Root/B", probe())
        self.recooks("Root/A", "Root/B")
        self.asset("Root/B", probe(save=["config S K"]))
        self.recooks("Root/A", "Root/B")
        self.asset("Apart", probe(save=["config S K"]))  # never cooked: it has no key
        self.recooks()
        self.remove("Content/Root/B.asset")
        self.recooks("Root/A")

    def test_ring_of_whole_packages(self):
        self.asset("Root/A", probe(event=["whole /Game/Root/B"], save=["file Data/a.txt"]))
        self.asset("Root/B", probe(event=["whole /Game/Root/A"], save=["file Data/b.txt"]))
        self.asset("Root/Self", probe(event=["whole /Game/Root/Self"], save=["file Data/s.txt"]))
        self.asset("Root/Over", probe(event=["whole /Game/Root/B"]))
        self.start()
        self.write("Data/a.txt", "1")
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.write("Data/b.txt", "1")
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.write("Data/s.txt", "1")
        self.recooks("Root/Self")
        self.asset("Root/A", probe(event=["whole /Game/Root/B"]))  # other dependencies
        self.recooks("Root/A", "Root/B", "Root/Over")
        self.asset("Root/C", probe(event=["whole /Game/Root/A"]))
        self.recooks("Root/C")
        self.asset("Root/B", probe(event=["whole /Game/Root/C"]))  # a ring of three
        self.recooks("Root/A", "Root/B", "Root/C", "Root/Over")
        self.asset("Root/C", probe())  # no ring
        self.recooks("Root/A", "Root/B", "Root/C", "Root/Over")
        self.asset("Root/A", probe(save=["config S K"]))
        self.recooks("Root/A")

    # ---- functions ----

    def start_functions(self):
        self.asset("Root/Sum", probe(save=["function KindsSum Data/number.txt 2"]))
        self.asset("Root/Tagged", probe(load=["function KindsSum Data/number.txt 2 tag"]))
        self.asset("Root/Zero", probe(save=["function KindsSum Data/number.txt 0"]))
        self.asset("Root/Tool", probe(event=["function KindsTool"]))
        self.asset("Root/Hidden", probe(save=["hidden function KindsTool"]))
        self.write("Data/number.txt", "3")
        self.start()

    def test_function(self):
        self.start_functions()
        self.write("Data/number.txt", "4")
        self.recooks("Root/Sum", "Root/Tagged")
        self.write("Data/number.txt", "4 ")  # the same sum
        self.recooks()
        self.remove("Data/number.txt")
        self.recooks("Root/Sum", "Root/Tagged")
        self.write("Data/tool.txt", "1.2")
        self.recooks("Root/Tool")
        self.asset("Root/Sum", probe(save=["function KindsSum Data/number.txt 5"]))
        self.recooks("Root/Sum")

    def test_function_that_crashes(self):
        self.start_functions()
        self.write("Data/tool.txt", "crash")
        self.recooks("Root/Tool", status=3)  # what hides its call is skipped
        self.assertEqual(self.results["/Game/Root/Tool"], "failed")
        self.assertIn("function dependency KindsTool: crashed", self.messages)
        self.assertIn("tool_evaluate", self.messages)
        self.recooks("Root/Tool", status=3)
        self.write("Data/number.txt", "7")
        self.recooks("Root/Sum", "Root/Tagged", "Root/Tool", status=3)
        self.write("Data/tool.txt", "sane")
        self.recooks("Root/Tool")

    def test_function_that_is_removed(self):
        self.start_functions()
        users = "Root/Sum", "Root/Tagged", "Root/Zero", "Root/Tool"
        self.build("without")
        self.recooks(*users)
        self.assertIn(b"no such function", self.cat("Root/Sum"))
        self.build("base")
        self.recooks(*users)
        self.assertIn(b"called", self.cat("Root/Sum"))


if __name__ == "__main__":
    BIN, PLUGINS = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *(f"Kinds.{name}" for name in sys.argv[3:])])
