#!/usr/bin/env python3
"""A source that is saved while a cook is at work, after the scan and before the package's own cook: what
came out then is of neither version, and the next cook makes it good.

    meanwhile.py BUILD/bin FOLDER_OF_PLUGINS
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import kinds
from kinds import probe


class Meanwhile(kinds.Project):
    def setUp(self):
        super().setUp()
        self.asset("Root/A", probe(save=["wait Saved/go"]))
        self.asset("Root/B", probe(links=["/Game/Linked.P"]))
        self.asset("Linked", probe())

    def cook_and(self, edit):
        """A full cook by one worker, in whose middle, at A, sources are edited."""
        os.makedirs(self.path("Saved"), exist_ok=True)
        command = [os.path.join(kinds.BIN, "cook"), "full", "-C", self.folder, "--workers", "1", "-q"]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as cook:
            while not os.path.exists(self.path("Saved/go.waiting")):
                self.assertIsNone(cook.poll(), "the cook ended before it came to A")
                time.sleep(0.005)
            edit()
            self.write("Saved/go", "")
            _, errors = cook.communicate(timeout=60)
        self.assertEqual(cook.returncode, 0, errors)

    def listing(self):
        return self.run_verb("store list").stdout

    def then(self, recooked, cooked):
        """The next cook cooks `recooked`, and leaves what a cook of a new store makes."""
        self.recooks(*recooked)
        self.assertEqual(sorted(name for name, result in self.results.items()),
                         sorted("/Game/" + name for name in cooked))
        listing = self.listing()
        shutil.rmtree(self.path("Saved/Cook"))
        self.assertEqual(self.cook("full"), 0, self.messages)
        self.assertEqual(listing, self.listing())

    def test_a_reference_goes(self):
        self.cook_and(lambda: self.asset("Root/B", probe(save=["config S K"])))
        self.then(["Root/B"], ["Root/A", "Root/B", "Root/Bystander"])

    def test_a_reference_comes(self):
        self.asset("Other", probe())
        self.cook_and(lambda: self.asset("Root/B", probe(links=["/Game/Linked.P", "/Game/Other.P"])))
        self.assertIn(b"/Game/Other", self.listing())  # the bytes refer to it
        self.then(["Root/B"],
                  ["Linked", "Other", "Root/A", "Root/B", "Root/Bystander"])

    def test_a_side_file_comes(self):
        self.cook_and(lambda: self.write("Content/Root/B.asset.cook", "{}"))
        self.then(["Root/B"], ["Linked", "Root/A", "Root/B", "Root/Bystander"])

    def test_nothing_changes(self):
        self.cook_and(lambda: os.utime(self.path("Content/Root/B.asset")))
        self.then([], ["Linked", "Root/A", "Root/B", "Root/Bystander"])


class FirstCook(unittest.TestCase):
    """What reads a store while it is made finds none, one without a finished cook, or a whole one."""
    ROUNDS = 40
    ALLOWED = (b"cook: target Desktop has no store; run 'cook full --target Desktop' first\n",
               b"cook: no finished cook is kept; run: cook full\n", b"")

    def test_readers(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/Content")
            with open(folder + "/cook.ini", "w", encoding="utf-8") as ini:
                ini.write("[Project]\nName=First\n+ContentRoot=/Game=Content\n")
            command = os.path.join(kinds.BIN, "cook")
            for _ in range(self.ROUNDS):
                shutil.rmtree(folder + "/Saved", ignore_errors=True)
                with subprocess.Popen([command, "full", "-q", "-C", folder],
                                      stderr=subprocess.DEVNULL) as cook:
                    while cook.poll() is None:
                        read = subprocess.run([command, "store", "list", "-C", folder],
                                              capture_output=True, check=False)
                        self.assertIn(read.stderr, self.ALLOWED)
                self.assertEqual(cook.returncode, 0)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
