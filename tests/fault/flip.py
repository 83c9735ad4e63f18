#!/usr/bin/env python3
"""Flip bits in a store: what is damaged is found, recooked and never served; nothing crashes.

    flip.py --bin FOLDER [--step BYTES]

One bit of every STEP-th byte is flipped in a copy of a store, one at a time:

in a blob segment   `store verify` names the damage (exit status 4) and the next `cook incremental`
                    mends it: verify is clean, `cook stage` gives the bytes of the sound store;
in index.bin        verify names it, and `cook incremental` gives the same without it;
in cook.db          SQLite has no checksums, so damage may go unnoticed; but every verb must end by
                    itself, with one message where it gives up.
"""
import argparse
import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import content  # noqa: E402

STORE = "Saved/Cook/Desktop"


class Flips:
    def __init__(self, options, folder):
        self.command = os.path.join(os.path.abspath(options.bin), "cook")
        self.step = options.step
        self.project = os.path.join(folder, "project")
        self.sound = os.path.join(folder, "sound")
        self.staged = os.path.join(folder, "staged")
        self.what = ""
        self.counts = {}

    def fail(self, text, output=""):
        sys.exit(f"flip: {self.what}: {text}\n{output}")

    def cook(self, *arguments, statuses=(0,)):
        result = subprocess.run([self.command, *arguments, "-C", self.project],
                                capture_output=True, text=True, check=False, timeout=120,
                                errors="replace")
        if result.returncode not in statuses:
            self.fail(f"cook {' '.join(arguments)} ends with {result.returncode}",
                      result.stdout + result.stderr)
        return result

    def stage(self):
        """Hashes of the staged files by name."""
        shutil.rmtree(self.staged, ignore_errors=True)
        self.cook("stage", "--loose", self.staged)
        found = {}
        for path, _, names in os.walk(self.staged):
            for name in names:
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), self.staged)] = \
                        hashlib.sha256(file.read()).hexdigest()
        return found

    def prepare(self):
        for i in range(6):
            content.write(f"{self.project}/Content/Table{i}.asset", content.table(8, i))
        content.write(f"{self.project}/Content/Red.png", content.png(16, 16))
        content.write(f"{self.project}/Content/Triangle.gltf", content.gltf("Red.png"))
        content.write(f"{self.project}/cook.ini", b"[Project]\nName=Flip\n+ContentRoot=/Game=Content\n"
                                                  b"[Cook]\n+AlwaysCook=/Game/*\n")
        self.cook("full")
        self.reference = self.stage()
        self.list = self.cook("store", "list").stdout
        self.cook("incremental")
        # One database file, without a log beside it.
        database = os.path.join(self.project, STORE, "cook.db")
        with contextlib.closing(sqlite3.connect(database)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copytree(os.path.join(self.project, "Saved"), self.sound)

    def each(self, name):
        """Flip one bit at a time in a fresh copy of the sound store."""
        path = os.path.join(self.project, STORE, name)
        size = os.path.getsize(os.path.join(self.sound, "Cook/Desktop", name))
        for number, offset in enumerate(range(0, size, self.step)):
            shutil.rmtree(os.path.join(self.project, "Saved"))
            shutil.copytree(self.sound, os.path.join(self.project, "Saved"))
            with open(path, "r+b") as file:
                file.seek(offset)
                byte = file.read(1)[0]
                file.seek(offset)
                file.write(bytes([byte ^ 1 << number % 8]))
            self.what = f"bit {number % 8} of byte {offset} of {name}"
            self.counts[name] = number + 1
            yield

    def segments(self):
        for _ in self.each("blobs/seg-000001.blob"):
            damage = self.cook("store", "verify", statuses=(0, 4))
            if damage.returncode == 0:
                if self.stage() != self.reference:
                    self.fail("unnoticed damage is served")
                continue
            if "seg-000001.blob" not in damage.stdout:
                self.fail("verify does not name the segment", damage.stdout)
            self.cook("incremental")
            if self.cook("store", "verify").stdout != "all sound\n":
                self.fail("still damaged after the next cook")
            if self.stage() != self.reference:
                self.fail("other bytes after the next cook")

    def index(self):
        for _ in self.each("index.bin"):
            self.cook("store", "verify", statuses=(0, 4))
            self.cook("incremental")
            if self.cook("store", "list").stdout != self.list:
                self.fail("another list after the next cook")
            self.cook("store", "verify")

    def database(self):
        for _ in self.each("cook.db"):
            for arguments in (("store", "verify"), ("store", "list"), ("store", "log"),
                              ("incremental", "--dry-run"), ("incremental",), ("full",)):
                result = self.cook(*arguments, statuses=(0, 2, 3, 4))
                if result.returncode == 4 and not (result.stdout + result.stderr):
                    self.fail("gives up without a message")

    def go(self):
        self.prepare()
        self.segments()
        self.index()
        self.database()
        print("flip: " + ", ".join(f"{count} flips in {name}" for name, count in
                                   self.counts.items()) + ": none is served, none crashes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--step", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Flips(options, folder).go()


if __name__ == "__main__":
    main()
