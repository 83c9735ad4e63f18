#!/usr/bin/env python3
"""The property test of incremental cooking.

For random projects and random sequences of edits: after every incremental cook the recooked,
new, skipped and failed packages are exactly those that the model predicts; a second cook at
once skips all that may be skipped; and the cooked bytes, the keys and the messages equal those
of a fresh full cook of the same sources.

    incremental.py --bin BUILD/bin --plugins BUILD/tests/property --quick
    incremental.py --bin BUILD/bin --plugins BUILD/tests/property --sequences 300 --jobs 2
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the test's own folder stays as it is

import generate
from edits import WEIGHTS, Editor
from model import Graph, Ledger
from world import World

REPLAYED = "[incremental replay] "
COMMAND_SECONDS = 300
DISTURBANCES = {"forget": 4, "lose_index": 3, "kill": 3, "edit_meanwhile": 5}  # percent


class Mismatch(Exception):
    """The cook did something else than it must."""


class Cooked:
    """What one run of `cook full` or `cook incremental` said."""

    def __init__(self, document, messages, exit_status):
        packages = document["packages"]
        self.results = {package["name"]: package["result"] for package in packages}
        self.reasons = {package["name"]: package["reason"] for package in packages}
        self.keys = {package["name"]: package["key"] for package in packages if package["key"]}
        self.messages = messages
        self.exit_status = exit_status


def differences(expected, actual, notes):
    """Lines that say how two dictionaries differ; at most ten."""
    lines = [f"    {name}: expected {expected.get(name, 'not reached')}, "
             f"is {actual.get(name, 'not reached')}{notes(name)}"
             for name in sorted(expected.keys() | actual.keys())
             if expected.get(name) != actual.get(name)]
    return lines[:10] + ([f"    and {len(lines) - 10} more"] if len(lines) > 10 else [])


def require_equal(what, expected, actual, notes=lambda name: ""):
    if expected != actual:
        raise Mismatch("\n".join([what + ":", *differences(expected, actual, notes)]))


class Sequence:
    """One project and its edits. All that is random follows from the seed."""

    def __init__(self, options, seed, folder):
        self.options = options
        self.rng = random.Random(f"property {seed}")
        self.folder = folder
        self.document = os.path.join(folder, "document.json")
        self.target = self.rng.choice(generate.TARGETS)
        self.counts = collections.Counter()
        self.disturbances = collections.Counter()
        self.steps = 0
        self.kinds = []  # of the edits since the last cook
        self.ledger = Ledger()
        self.workers = self.rng.randint(1, 3)

    # ---- running cooks ----

    def start_command(self, folder, *arguments, tokens=()):
        command = [os.path.join(self.options.bin, "cook"), *arguments, "-C", folder,
                   "--target", self.target] + (["--", *tokens] if tokens else [])
        environment = {**os.environ, **self.world.inputs.environment}
        environment = {name: value for name, value in environment.items() if value is not None}
        if self.options.verbose:
            print("   ", " ".join(command))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment)

    def end_command(self, process):
        """(exit status, standard output, standard error)"""
        out, err = process.communicate(timeout=COMMAND_SECONDS)
        if self.options.verbose:
            print("    ->", process.returncode)
        return process.returncode, out, err

    def start_cook(self, folder, verb, *arguments):
        return self.start_command(folder, verb, "--workers", str(self.workers), "--json",
                                  self.document, *arguments,
                                  tokens=self.world.inputs.arguments)

    def end_cook(self, process):
        exit_status, _, err = self.end_command(process)
        if exit_status not in (0, 2, 3) or not os.path.exists(self.document):
            raise Mismatch(f"a cook ended with {exit_status}:\n{err}")
        with open(self.document, encoding="utf-8") as file:
            document = json.load(file)
        os.remove(self.document)
        messages = [line.replace(REPLAYED, "") for line in err.splitlines()]
        return Cooked(document, messages, exit_status)

    def cook(self, folder, verb, *arguments):
        return self.end_cook(self.start_cook(folder, verb, *arguments))

    def store(self, folder, *arguments):
        process = self.start_command(folder, "store", *arguments)
        exit_status, out, err = self.end_command(process)
        if exit_status != 0:
            raise Mismatch(f"cook store {arguments[0]} ended with {exit_status}:\n{err}")
        return out

    def listing(self, folder):
        """Hash and size of what the last cook's manifest holds."""
        rows = [line.split(None, 2) for line in self.store(folder, "list").splitlines()]
        return {name: f"{digest} of {size} bytes" for digest, size, name in rows}

    # ---- checks ----

    def check_cook(self, graph, verb="incremental", *arguments):
        full, dry = verb == "full", "--dry-run" in arguments
        expected, exit_status = self.ledger.predict(graph, full, dry)
        cooked = self.cook(self.world.folder, verb, *arguments)
        what = " ".join(("cook", verb, *arguments))
        require_equal(f"{what} of the edited project", expected, cooked.results,
                      lambda name: f" ({cooked.reasons.get(name, '')})")
        if cooked.exit_status != exit_status:
            raise Mismatch(f"{what} ended with {cooked.exit_status}, expected {exit_status}")
        return cooked

    def check_against_full(self, graph, cooked):
        """`cooked` is what a cook of the same sources, with any history, came to."""
        self.world.check()
        folder = os.path.join(self.folder, "full")
        self.world.copy_to(folder)
        full = self.cook(folder, "full")
        good = {name for name, result in cooked.results.items() if result != "failed"}
        require_equal("packages of a fresh full cook",
                      {name: "new" if name in good else "failed" for name in cooked.results},
                      full.results)
        if good:
            require_equal("bytes of a fresh full cook (expected) and of the incremental store",
                          self.listing(folder), self.listing(self.world.folder))
        told = {name for name in good if self.ledger.has_plain_key(name, good)}
        require_equal("keys of a fresh full cook (expected) and of the incremental one",
                      {name: full.keys[name] for name in told},
                      {name: cooked.keys[name] for name in told})
        if full.messages != cooked.messages:
            lines = [f"    - {line}" for line in full.messages if line not in cooked.messages]
            lines += [f"    + {line}" for line in cooked.messages if line not in full.messages]
            raise Mismatch("\n".join(["messages of a fresh full cook (-) and of this one (+):",
                                      *lines[:20]]))
        shutil.rmtree(folder)

    # ---- steps ----

    def start(self):
        options = self.options
        low, high = options.packages
        count = low + int((high - low) * self.rng.random() ** options.small_bias)
        files = generate.generate(self.rng, count, self.target)
        self.world = World(os.path.join(self.folder, "project"), options.plugins, self.target)
        self.world.perform([("write", path, files[path], "replace") for path in files] +
                           [("plugin", "base")])
        self.editor = Editor(self.rng, self.world.inputs)
        self.edit_count = self.rng.randint(*options.edits)
        verb = self.rng.choice(("full", "incremental"))
        self.check_cook(self.editor.graph, verb)

    def edits_left(self):
        return self.edit_count - sum(self.counts.values())

    def edit(self):
        kind, operations = self.editor.random_edit()
        self.world.perform(operations)
        self.counts[kind] += 1
        self.kinds.append(kind)
        if self.options.verbose:
            print(f"  {kind}: " + "; ".join(" ".join(str(part)[:60] for part in operation)
                                            for operation in operations))

    def edit_some(self):
        """One edit, or a few before the next cook."""
        self.kinds = []
        many = 1 if self.rng.random() < 0.75 else self.rng.randint(2, 4)
        for _ in range(max(1, min(many, self.edits_left()))):
            self.edit()

    def step(self):
        self.steps += 1
        self.edit_some()
        graph = Graph(self.world.inputs)
        if self.rng.random() < 0.2:
            self.check_cook(graph, "incremental", "--dry-run")
        self.disturb(graph)
        graph = Graph(self.world.inputs)
        verb = "full" if self.rng.random() < 0.02 else "incremental"
        self.check_cook(graph, verb)
        self.kinds.append("nothing")
        cooked = self.check_cook(graph)
        if self.edits_left() <= 0 or self.steps % self.options.full_every == 0:
            self.check_against_full(graph, cooked)

    def run_all(self):
        self.start()
        while self.edits_left() > 0:
            self.step()

    # ---- disturbances ----

    def disturb(self, graph):
        """Now and then, something else than an edit before the cook that is checked."""
        kind = self.rng.choices((None, *DISTURBANCES), (100 - sum(DISTURBANCES.values()),
                                                         *DISTURBANCES.values()))[0]
        if kind:
            self.kinds.append(kind)
            self.disturbances[kind] += 1
            getattr(self, kind)(graph)

    def forget(self, _):
        """`store forget` of a kept result."""
        name = self.rng.choice(sorted(self.ledger.kept))
        self.store(self.world.folder, "forget", name)
        self.ledger.forced.add(name)

    def lose_index(self, _):
        """The flat file is made anew from the database."""
        os.remove(os.path.join(self.world.folder, "Saved/Cook", self.target, "index.bin"))

    def start_and_wait(self):
        """A cook that is on its way: it has said so, has worked for a moment, and commits often,
        so that a killed one leaves something behind."""
        process = self.start_cook(self.world.folder, "incremental",
                                  "--ini", "Store.CommitPackages=2")
        process.stdout.readline()
        time.sleep(self.rng.uniform(0, 0.1))
        return process

    def kill(self, graph):
        """What a killed cook had committed is skipped by the next, the rest is cooked. It is
        cooked again where it must be at each cook, or waited for the whole key of another."""
        process = self.start_and_wait()
        process.kill()
        self.end_command(process)
        if os.path.exists(self.document):
            os.remove(self.document)
        expected, _ = self.ledger.predict(graph)
        cooked = self.cook(self.world.folder, "incremental")
        saved = {name: result for name, result in cooked.results.items()
                 if (result == "skipped" and expected.get(name) in ("new", "recooked")) or
                 (result == "recooked" and expected.get(name) == "new" and
                  (graph.opted_out(name) or self.ledger.kept[name].wholes))}
        require_equal("the cook after a killed one", {**expected, **saved}, cooked.results)

    def edit_meanwhile(self, _):
        """
        An edit while a cook runs: what that one makes of it is open, and so is what the next one
        still has to do. But that one's result must be right, which the ledger then starts from.
        """
        process = self.start_and_wait()
        self.edit()
        during = self.end_cook(process)
        graph = Graph(self.world.inputs)
        expected, _ = Ledger().predict(graph)
        cooked = self.cook(self.world.folder, "incremental")
        require_equal("the cook after one that was overtaken by an edit",
                      {name: "failed" if result == "failed" else "good"
                       for name, result in expected.items()},
                      {name: "failed" if result == "failed" else "good"
                       for name, result in cooked.results.items()})
        self.ledger.restart(graph, cooked.results)
        self.check_against_full(graph, self.check_cook(graph))
        if not during.results.keys() <= cooked.results.keys():
            self.edit_count = 0  # what is kept of the others is not known: an end as good as any


# ---- many sequences ----

def run_sequence(options, seed):
    """(edits and disturbances by kind, cooks, report or None)"""
    folder = tempfile.mkdtemp(prefix="property-", dir=options.folder)
    sequence = Sequence(options, seed, folder)
    report = None
    try:
        sequence.run_all()
    except Mismatch as mismatch:
        replay = f"{sys.argv[0]} --bin {options.bin} --plugins {options.plugins}"
        replay += f" --seed {seed} --sequences 1 --keep --verbose"
        if options.quick:
            replay += " --quick"
        report = (f"FAILED sequence {seed}, step {sequence.steps}, target {sequence.target}, "
                  f"after {', '.join(sequence.kinds) or 'the first cook'}\n  {mismatch}\n"
                  f"  replay: {replay}")
        if options.keep:
            report += f"\n  kept: {folder}"
    if report is None or not options.keep:
        shutil.rmtree(folder)
    return sequence.counts + sequence.disturbances, sequence.steps, report


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the cook command")
    parser.add_argument("--plugins", required=True, help="folder of the built plugin variants")
    parser.add_argument("--seed", type=int, default=1, help="of the first sequence")
    parser.add_argument("--sequences", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1, help="sequences at a time")
    parser.add_argument("--full-every", type=int, default=5,
                        help="compare with a fresh full cook at each N-th step, and at the end")
    parser.add_argument("--quick", action="store_true", help="12 short sequences")
    parser.add_argument("--folder", help="where projects are made; the system's by default")
    parser.add_argument("--keep", action="store_true",
                        help="keep the project of a failed sequence")
    parser.add_argument("--verbose", action="store_true", help="print edits and commands")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    options.plugins = os.path.abspath(options.plugins)
    options.packages, options.edits, options.small_bias = (30, 200), (10, 40), 2
    if options.quick:
        options.packages, options.edits, options.full_every = (30, 60), (10, 14), 3
        options.sequences = min(options.sequences, 12)
    return options


def main():
    options = parse_options()
    started = time.monotonic()
    counts = collections.Counter()
    cooks = passed = failed = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.sequences)
        futures = [pool.submit(run_sequence, options, seed) for seed in seeds]
        for future in concurrent.futures.as_completed(futures):
            kinds, steps, report = future.result()
            counts.update(kinds)
            cooks += steps
            passed += report is None
            failed += report is not None
            if report:
                print(report, flush=True)
    edits = sum(counts[kind] for kind in WEIGHTS)
    print(f"{edits} edits before {cooks} cooks in {time.monotonic() - started:.0f} s:")
    for kind in WEIGHTS:
        print(f"  {kind:20} {counts[kind]:6}")
    print("and besides:")
    for kind in DISTURBANCES:
        print(f"  {kind:20} {counts[kind]:6}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
