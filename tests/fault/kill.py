#!/usr/bin/env python3
"""Kill cooks at many moments; the next incremental cook must give what an uninterrupted one gives.

    kill.py --bin FOLDER [--count N] [--seed S] [--verbose]

A project of about 150 packages switches between two states. Each round starts a cook (from nothing,
or after the switch), kills the director or a worker with SIGKILL, and then asks three things of the
next `cook incremental`: that it ends clean, that `cook store list` equals the list of a fresh full
cook of the same state, and that `cook store verify` finds all sound. The moments of the kills are
spread over the measured duration of such a cook in equal steps; every third kill waits for a file of
the store to grow instead, so that short phases (commit, index) are hit too.
"""
import argparse
import collections
import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import content  # noqa: E402

TABLES, IMAGES, MESHES = 100, 36, 14
COMMIT_PACKAGES = 10  # small, so that a cook commits often
DATABASE = "Cook/Desktop/cook.db"
MARKERS = {  # file, and at which change of it a kill may come
    DATABASE: range(1, 3),
    DATABASE + "-wal": range(1, 13),
    "Cook/Desktop/blobs/seg-000001.blob": range(1, 7),
    "Cook/Desktop/index.bin": range(1, 2),
    "History/history.db-wal": range(1, 3),
}
LATE_SECONDS = 5.0  # for workers to go after their director


def noise(dice, size):
    rows = b"".join(b"\0" + dice.randbytes(size * 3) for _ in range(size))
    return content.png_of_rows(size, size, rows)


def make_state(folder, state):
    """Content of state 0 or 1: a third differs, some packages are only in one of them."""
    for i in range(TABLES):
        if i % 12 == 5 and i // 12 % 2 == state:
            continue
        seed = i + 1000 * (state if i % 3 == 0 else 0)
        content.write(f"{folder}/Content/Tables/Folder{i % 7}/Table{i:03}.asset",
                      content.table(20, seed))
    for i in range(IMAGES):
        seed = i + 1000 * (state if i % 4 == 0 else 0)
        content.write(f"{folder}/Content/Images/Image{i:02}.png",
                      noise(random.Random(seed), 96 + 8 * (i % 3)))
    for i in range(MESHES):
        if i % 2:
            content.write(f"{folder}/Content/Meshes/Mesh{i:02}.glb",
                          content.glb(1.0 + i + (state if i % 4 == 1 else 0)))
        else:
            content.write(f"{folder}/Content/Meshes/Mesh{i:02}.gltf",
                          content.gltf(f"../Images/Image{i:02}.png"))
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as ini:
        ini.write("[Project]\nName=Kill\n+ContentRoot=/Game=Content\n[Cook]\n+AlwaysCook=/Game/*\n"
                  f"[Store]\nCommitPackages={COMMIT_PACKAGES}\n")


def files_of(folder):
    """Bytes by relative path, without what cooks make."""
    files = {}
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "Saved"]
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                files[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return files


class Campaign:
    def __init__(self, options, folder):
        self.options = options
        self.command = os.path.join(os.path.abspath(options.bin), "cook")
        self.project = os.path.join(folder, "project")
        self.states = [os.path.join(folder, "state0"), os.path.join(folder, "state1")]
        self.dice = random.Random(options.seed)
        self.state = 0
        self.references = []
        self.durations = {}
        self.figures = collections.Counter()
        self.phases = collections.Counter()
        self.last_cook = 0
        self.what = ""

    def fail(self, text, output=""):
        sys.exit(f"kill: {self.what}: {text}\n{output}")

    def run(self, *arguments, folder=None):
        result = subprocess.run([self.command, *arguments, "-C", folder or self.project],
                                capture_output=True, text=True, check=False, timeout=120)
        return result.returncode, result.stdout, result.stderr

    def must(self, *arguments, folder=None):
        status, out, errors = self.run(*arguments, folder=folder)
        if status != 0:
            self.fail(f"cook {' '.join(arguments)} ends with {status}", out + errors)
        return out

    def switch(self, state):
        """Copy what differs; a file with the same bytes keeps its times."""
        wanted = files_of(self.states[state])
        present = files_of(self.project)
        for name in present.keys() - wanted.keys():
            os.remove(os.path.join(self.project, name))
        for name, data in wanted.items():
            if present.get(name) != data:
                content.write(os.path.join(self.project, name), data)
        self.state = state

    def saved(self, name):
        return os.path.join(self.project, "Saved", name)

    # ---- preparation

    def prepare(self):
        os.makedirs(self.project)
        for state in (0, 1):
            make_state(self.states[state], state)
            self.must("full", "-q", folder=self.states[state])
            self.references.append(self.must("store", "list", folder=self.states[state]))
            shutil.rmtree(self.states[state] + "/Saved")
        self.what = "measuring"
        for _ in range(2):
            for kind in ("fresh", "switched", "again"):
                self.begin(kind)
                started = time.monotonic()
                self.must("full" if kind == "again" else "incremental", "-q")
                self.durations[kind] = time.monotonic() - started

    def begin(self, kind):
        if kind == "fresh":
            shutil.rmtree(self.saved(""), ignore_errors=True)
            self.switch(self.dice.randrange(2))
        elif kind == "switched":
            self.switch(1 - self.state)

    # ---- one round

    def children(self, pid):
        """Its workers: a sanitizer's end is a child as well, and nothing but it ends the director."""
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return [int(child) for child in file.read().split() if self.is_worker(child)]
        except OSError:
            return []

    def wait_for_growth(self, process, marker, changes):
        """True after so many changes of a file's size or times."""
        def look():
            try:
                facts = os.stat(self.saved(marker))
                return facts.st_size, facts.st_mtime_ns, facts.st_ino
            except OSError:
                return None
        last = look()
        while process.poll() is None:
            now = look()
            if now != last:
                last = now
                changes -= 1
                if changes <= 0:
                    return True
        return False

    def victim(self, process, who):
        """The process to kill; waits for a worker to be there."""
        if who == "director":
            return process.pid
        while process.poll() is None:
            workers = self.children(process.pid)
            if workers:
                return self.dice.choice(workers)
        return None

    def kill_one(self, number):
        kind = ("fresh", "switched", "again")[number % 3]
        who = self.dice.choice(("director", "director", "worker"))
        by_marker = number % 3 == number // 3 % 3
        steps = max(self.options.count // 3, 1)
        delay = self.durations[kind] * (number // 3 + self.dice.random()) / steps
        marker = self.dice.choice(list(MARKERS))
        changes = self.dice.choice(MARKERS[marker])
        self.what = (f"round {number}: {kind}, {who} killed "
                     + (f"at change {changes} of {marker}" if by_marker else f"after {delay:.3f} s"))
        self.begin(kind)
        process = subprocess.Popen(
            [self.command, "full" if kind == "again" else "incremental", "-C", self.project],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if by_marker:
            self.wait_for_growth(process, marker, changes)
        else:
            time.sleep(delay)
        pid = self.victim(process, who)
        workers = self.children(process.pid)
        if process.poll() is None and pid:
            with contextlib.suppress(ProcessLookupError):  # a worker may have ended by itself just now
                os.kill(pid, signal.SIGKILL)
        try:
            out, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.fail("the cook does not end", self.stacks([process.pid, *workers]))
        return self.judge_killed(process.returncode, who, workers, out, errors)

    def stacks(self, pids):
        """Where processes stand that should have ended."""
        text = ""
        for pid in dict.fromkeys([*pids, *self.children(pids[0])]):
            text += subprocess.run(
                ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "thread apply all backtrace 24"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
        return text

    def judge_killed(self, status, who, workers, out, errors):
        if who == "director":
            self.figures["director killed" if status == -signal.SIGKILL else "ended before"] += 1
            if status not in (0, -signal.SIGKILL):
                self.fail(f"the cook ends with {status}", out + errors)
            self.wait_for_end(workers)
            return status == -signal.SIGKILL
        lost = [line for line in errors.splitlines() if line.startswith(("error: ", "cook: "))]
        if status == 0 and not lost:
            self.figures["worker killed between packages, or the cook ended before"] += 1
        elif status == 3 and len(lost) == 1 and "its worker was killed from outside" in lost[0]:
            self.figures["worker killed with its package"] += 1
        elif status == 4 and len(lost) == 1 and "loading the plugins: " in lost[0]:
            self.figures["first worker killed while it started"] += 1
        else:
            self.fail(f"the cook ends with {status}", out + errors)
        return False

    def wait_for_end(self, workers):
        """Workers go when their director is gone."""
        end = time.monotonic() + LATE_SECONDS
        while workers and time.monotonic() < end:
            workers = [pid for pid in workers if self.is_worker(pid)]
            time.sleep(0.01)
        if workers:
            self.fail(f"workers {workers} outlive their director")

    def is_worker(self, pid):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                return file.read().startswith("cook-worker")
        except OSError:
            return False

    def phase(self, folder):
        """How far a killed director came, from a copy of its database."""
        if not os.path.exists(self.saved(DATABASE)):
            return "before the store"
        for name in ("cook.db", "cook.db-wal"):
            if os.path.exists(self.saved("Cook/Desktop/" + name)):
                shutil.copy(self.saved("Cook/Desktop/" + name), folder)
        try:
            with contextlib.closing(sqlite3.connect(folder + "/cook.db")) as db:
                cook, ended = db.execute(
                    "SELECT id, ended_ns FROM cooks ORDER BY id DESC LIMIT 1").fetchone() or (0, 0)
                ops = db.execute("SELECT count(*) FROM ops WHERE cook = ?", (cook,)).fetchone()[0]
        except sqlite3.Error:
            return "while the store is made"
        finally:
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
        if cook == 0 or cook == self.last_cook:
            return "scan and evaluation"
        if ended:
            return "after the last commit"
        return "cooking, packages committed" if ops else "cooking, nothing committed"

    def newest_cook(self):
        try:
            path = self.saved(DATABASE)
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                return (db.execute("SELECT max(id) FROM cooks").fetchone() or (0,))[0]
        except sqlite3.Error:
            return 0

    def recover(self):
        out = self.must("incremental")
        if self.must("store", "list") != self.references[self.state]:
            self.fail("the next cook gives other content", out)
        if self.must("store", "verify") != "all sound\n":
            self.fail("the store is not sound")

    def go(self, folder):
        self.prepare()
        copy = os.path.join(folder, "copy")
        os.makedirs(copy)
        for number in range(self.options.count):
            self.last_cook = 0 if number % 3 == 0 else self.newest_cook()
            if self.kill_one(number):
                self.phases[self.phase(copy)] += 1
            self.recover()
            if self.options.verbose:
                print(self.what, flush=True)
        print(f"kill: {self.options.count} cooks, seed {self.options.seed}; a cook takes "
              + ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in self.durations.items()))
        for what, number in sorted(self.figures.items()):
            print(f"    {number:5} {what}")
        print("directors were killed")
        for what, number in sorted(self.phases.items()):
            print(f"    {number:5} {what}")
        print(f"all {self.options.count} recovered: same content, store sound")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Campaign(options, folder).go(folder)


if __name__ == "__main__":
    main()
