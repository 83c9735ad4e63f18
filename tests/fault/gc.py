#!/usr/bin/env python3
"""cook store gc: what goes and what stays, and that it may be killed at any moment.

    gc.py --bin FOLDER [--kills N]

A project whose packages change and leave the root set, so that results, rows and most bytes of the
segments become garbage. Then: an unreached result is reused until it is collected and made anew
afterwards; a collected store equals one that was cooked from nothing; and after each kill the store
verifies and skips everything.
"""
import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import content  # noqa: E402

BIN = ""
KILLS = 12
PACKAGES = 40


def make(folder, seed, groups=("A", "B"), keep=1):
    """Two groups of packages; the root set has those of `groups`."""
    dice = random.Random(seed)
    for i in range(PACKAGES):
        rows = b"".join(b"\0" + dice.randbytes(96 * 3) for _ in range(96))
        content.write(f"{folder}/Content/{'AB'[i % 2]}/Image{i:02}.png",
                      content.png_of_rows(96, 96, rows))
    roots = "".join(f"+AlwaysCook=/Game/{group}/*\n" for group in groups)
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as ini:
        ini.write(f"[Project]\nName=Gc\n+ContentRoot=/Game=Content\n[Cook]\n{roots}"
                  f"[Store]\nKeepCooks={keep}\n")


class Gc(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cook-gc-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def cook(self, *arguments, status=0):
        done = subprocess.run([os.path.join(BIN, "cook"), *arguments, "-C", self.folder],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def document(self, *arguments, status=0):
        return json.loads(self.cook(*arguments, "--json", "-", status=status))

    def listing(self):
        return self.cook("store", "list")

    def segments(self):
        folder = f"{self.folder}/Saved/Cook/Desktop/blobs"
        return sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder))

    def fill(self):
        """A store that is mostly garbage: everything was changed twice."""
        make(self.folder, 1)
        self.cook("full")
        for seed in (2, 3):
            make(self.folder, seed)
            self.cook("incremental")

    def check_whole(self):
        """The store is sound, knows all, and equals one made from nothing."""
        self.assertIn("all sound", self.cook("store", "verify"))
        summary = self.document("incremental")["summary"]
        self.assertEqual((summary["cooked"], summary["failed"]), (0, 0))
        kept = self.listing()
        copy = self.folder + ".fresh"
        shutil.copytree(self.folder, copy, ignore=shutil.ignore_patterns("Saved"))
        self.addCleanup(shutil.rmtree, copy, True)
        before, self.folder = self.folder, copy
        self.cook("full")
        fresh = self.listing()
        self.folder = before
        shutil.rmtree(copy)
        self.assertEqual(kept, fresh)

    def test_unreached_result_is_reused_until_it_is_collected(self):
        make(self.folder, 1)
        self.cook("full")
        make(self.folder, 1, groups="A")
        self.assertEqual(self.document("incremental")["summary"]["packages"], PACKAGES / 2)
        young = self.document("store", "gc")
        self.assertEqual((young["summary"]["results"], young["summary"]["waiting"]),
                         (0, PACKAGES / 2))
        make(self.folder, 1)
        self.assertEqual(self.document("incremental")["summary"]["cooked"], 0)
        make(self.folder, 1, groups="A")
        self.cook("incremental")
        tried = self.document("store", "gc", "--days", "0", "--dry-run")
        self.assertEqual(len(tried["packages"]), PACKAGES / 2)
        gone = self.document("store", "gc", "--days", "0")
        self.assertEqual(gone["packages"], tried["packages"])
        self.assertEqual(gone["summary"]["blobs"], tried["summary"]["blobs"])
        self.check_whole()
        self.assertIn("collected", self.cook("store", "log"))
        make(self.folder, 1)
        summary = self.document("incremental")["summary"]
        self.assertEqual((summary["new"], summary["recooked"]), (PACKAGES / 2, 0))
        self.check_whole()

    def test_age_counts_from_the_last_cook_that_reached_it(self):
        make(self.folder, 1, keep=3)
        self.cook("full")
        for _ in range(5):  # so that no kept manifest names group B any more
            make(self.folder, 1, groups="A", keep=3)
            self.cook("incremental")
        self.assertEqual(self.document("store", "gc", "--days", "1")["summary"]["results"], 0)
        database = sqlite3.connect(f"{self.folder}/Saved/Cook/Desktop/cook.db")
        database.execute("UPDATE unreached SET since_ns = since_ns - 2 * 86400000000000")
        database.commit()
        database.close()
        self.assertEqual(self.document("store", "gc", "--days", "3")["summary"]["results"], 0)
        self.assertEqual(self.document("store", "gc", "--days", "1")["summary"]["results"],
                         PACKAGES / 2)

    def test_segments_that_are_mostly_holes_are_given_back(self):
        self.fill()
        before = self.segments()
        summary = self.document("store", "gc")["summary"]
        self.assertGreater(summary["blobs"], PACKAGES)
        self.assertGreater(summary["freed_bytes"], before / 2)
        self.assertEqual(before - self.segments(), summary["freed_bytes"])
        self.assertEqual(self.document("store", "gc")["summary"]["blobs"], 0)
        self.check_whole()

    def test_kept_cooks_stay_whole(self):
        make(self.folder, 1, keep=10)
        self.cook("full")
        make(self.folder, 2, keep=10)
        self.cook("incremental")
        make(self.folder, 2, groups="A", keep=10)
        self.cook("incremental")
        before = self.document("diff", f"{self.folder}:1", f"{self.folder}:2", status=1)
        self.cook("store", "gc", "--days", "0")
        self.assertEqual(self.document("diff", f"{self.folder}:1", f"{self.folder}:2", status=1),
                         before)
        self.check_whole()

    def test_another_writer_is_waited_for_by_nobody(self):
        make(self.folder, 1)
        self.cook("full")
        lock = open(f"{self.folder}/Saved/Cook/Desktop/lock", "r+b")
        self.addCleanup(lock.close)
        import fcntl
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run([os.path.join(BIN, "cook"), "store", "gc", "-C", self.folder],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("in use", done.stderr)

    def test_killed_at_any_moment(self):
        self.fill()
        full = self.folder + ".full"
        shutil.copytree(self.folder, full)
        self.addCleanup(shutil.rmtree, full, True)
        started = time.monotonic()
        self.cook("store", "gc")
        seconds = time.monotonic() - started
        killed = 0
        for i in range(KILLS):
            shutil.rmtree(self.folder)
            shutil.copytree(full, self.folder)
            with subprocess.Popen([os.path.join(BIN, "cook"), "store", "gc", "-C", self.folder],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                time.sleep(seconds * (i + 0.5) / KILLS)
                child.send_signal(signal.SIGKILL)
                killed += child.wait() == -signal.SIGKILL
            self.check_whole()
            self.cook("store", "gc")
            self.check_whole()
        print(f"{killed} of {KILLS} collections were killed, and each store was whole")
        self.assertGreater(killed, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--kills", type=int, default=KILLS)
    options, rest = parser.parse_known_args()
    BIN, KILLS = os.path.abspath(options.bin), options.kills
    unittest.main(argv=[sys.argv[0], *rest])
