"""Runs one script: cooks after each step, and compares with the model and with a fresh full cook."""
import collections
import hashlib
import json
import os
import shutil
import subprocess
import time

from ledger import Ledger
from model import Graph
from script import describe
from world import World

REPLAYED = "[incremental replay] "
COMMAND_SECONDS = 300


class Mismatch(Exception):
    """The cook did something else than it must."""


class Cooked:
    """What a cook of one target said."""

    def __init__(self, document):
        packages = document["packages"]
        self.results = {package["name"]: package["result"] for package in packages}
        self.reasons = {package["name"]: package["reason"] for package in packages}
        self.keys = {package["name"]: package["key"] for package in packages if package["key"]}

    def good(self):
        return {name for name, result in self.results.items() if result != "failed"}


class Run:
    """What one command said: a cook of one target or of several."""

    def __init__(self, targets, document, messages, exit_status):
        documents = document["targets"] if len(targets) > 1 else [document]
        self.targets = targets
        self.cooked = {target: Cooked(part) for target, part in zip(targets, documents)}
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


def files_below(folder):
    """Digest by path."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


class Sequence:
    def __init__(self, options, script, folder):
        self.options = options
        self.script = script
        self.folder = folder
        self.document = os.path.join(folder, "document.json")
        self.counts = collections.Counter()
        self.cooks = 0
        self.kinds = []  # of what was done since the last checked cook
        self.ledgers = {target: Ledger() for target in script.targets}
        self.stopped = False
        self.world = World(os.path.join(folder, "project"), options.plugins, script.targets[0],
                           options.mutant)
        self.world.perform([("write", path, data, "replace")
                            for path, data in script.inputs.files.items()] +
                           [("plugin", "base")])

    # ---- running cooks ----

    def start_command(self, folder, targets, *arguments, tokens=()):
        command = [os.path.join(self.options.bin, "cook"), *arguments, "-C", folder]
        for target in targets:
            command += ["--target", target]
        command += ["--", *tokens] if tokens else []
        environment = {**os.environ, **self.world.inputs.environment}
        environment = {name: value for name, value in environment.items() if value is not None}
        if self.options.verbose:
            print("   ", " ".join(command), flush=True)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment)

    def end_command(self, process):
        """(exit status, standard output, standard error)"""
        out, err = process.communicate(timeout=COMMAND_SECONDS)
        if self.options.verbose:
            print("    ->", process.returncode)
        return process.returncode, out, err

    def command(self, folder, target, *arguments):
        """What a command that must succeed prints."""
        exit_status, out, err = self.end_command(self.start_command(folder, [target],
                                                                    *arguments))
        if exit_status != 0:
            raise Mismatch(f"cook {' '.join(arguments)} ended with {exit_status}:\n{err}")
        return out

    def start_cook(self, folder, targets, verb, *arguments):
        inputs = self.world.inputs
        for name, text in inputs.overrides:
            arguments += ("--ini", f"{name}={text}")
        return self.start_command(folder, targets, verb, "--workers", str(self.script.workers),
                                  "--json", self.document, *arguments, tokens=inputs.arguments)

    def end_cook(self, process, targets):
        exit_status, _, err = self.end_command(process)
        if exit_status not in (0, 2, 3) or not os.path.exists(self.document):
            raise Mismatch(f"a cook ended with {exit_status}:\n{err}")
        with open(self.document, encoding="utf-8") as file:
            document = json.load(file)
        os.remove(self.document)
        messages = [line.replace(REPLAYED, "") for line in err.splitlines()]
        return Run(targets, document, messages, exit_status)

    def cook(self, folder, targets, verb, *arguments):
        return self.end_cook(self.start_cook(folder, targets, verb, *arguments), targets)

    def listing(self, folder, target):
        """Hash and size of each file that the last cook's manifest holds."""
        rows = [line.split(None, 2) for line in
                self.command(folder, target, "store", "list").splitlines()]
        return {name: f"{digest} of {size} bytes" for digest, size, name in rows}

    def staged(self, folder, target):
        out = os.path.join(self.folder, f"staged-{os.path.basename(folder)}-{target}")
        self.command(folder, target, "stage", out)
        return files_below(out)

    # ---- checks ----

    def graphs(self, targets):
        return {target: Graph(self.world.inputs.for_target(target)) for target in targets}

    def check_cook(self, targets, verb="incremental", *arguments):
        full, dry = verb == "full", "--dry-run" in arguments
        graphs = self.graphs(targets)
        predicted = {target: self.ledgers[target].predict(graphs[target], full, dry)
                     for target in targets}
        run = self.cook(self.world.folder, targets, verb, *arguments)
        what = " ".join(("cook", verb, *arguments))
        for target, cooked in run.cooked.items():
            require_equal(f"{what} of the edited project for {target}", predicted[target][0],
                          cooked.results,
                          lambda name, cooked=cooked: f" ({cooked.reasons.get(name, '')})")
        exit_status = max(status for _, status in predicted.values())
        if run.exit_status != exit_status:
            raise Mismatch(f"{what} ended with {run.exit_status}, expected {exit_status}")
        self.cooks += 1
        return run

    def check_against_full(self, run):
        """`run` is what a cook of the same sources, with any history, came to."""
        self.world.check()
        folder = os.path.join(self.folder, "full")
        self.world.copy_to(folder)
        full = self.cook(folder, run.targets, "full")
        for target in run.targets:
            self.check_target(folder, target, full.cooked[target], run.cooked[target])
        if full.messages != run.messages:
            lines = [f"    - {line}" for line in full.messages if line not in run.messages]
            lines += [f"    + {line}" for line in run.messages if line not in full.messages]
            raise Mismatch("\n".join(["messages of a fresh full cook (-) and of this one (+):",
                                      *lines[:20]]))
        shutil.rmtree(folder)

    def check_target(self, folder, target, full, cooked):
        good, ledger = cooked.good(), self.ledgers[target]
        expected = {name: result if result in ("failed", "omitted") else "new"
                    for name, result in cooked.results.items()}
        require_equal("packages of a fresh full cook", expected, full.results)
        if good:
            require_equal("files of a fresh full cook (expected) and of the incremental store",
                          self.listing(folder, target), self.listing(self.world.folder, target))
            require_equal("staged files of a fresh full cook (expected) and of the incremental one",
                          self.staged(folder, target), self.staged(self.world.folder, target))
            shutil.rmtree(os.path.join(self.folder, f"staged-full-{target}"))
        told = {name for name in good if ledger.has_plain_key(name, good)}
        require_equal("keys of a fresh full cook (expected) and of the incremental one",
                      {name: full.keys.get(name) for name in told},
                      {name: cooked.keys.get(name) for name in told})

    # ---- steps ----

    def groups(self, together):
        """The targets by the commands that cook them."""
        targets = self.script.targets
        return [targets] if together else [[target] for target in targets]

    def edit(self, kind, operations):
        self.world.perform(operations)
        self.counts[kind] += 1
        self.kinds.append(kind)

    def step(self, step):
        self.kinds = []
        for item in step.edits:
            if self.options.verbose:
                print(" ", describe(item), flush=True)
            self.edit(item.kind, item.operations)
        for targets in self.groups(step.together):
            if step.dry:
                self.check_cook(targets, "incremental", "--dry-run")
        if step.disturbance:
            self.disturb(step.disturbance)
        for targets in self.groups(step.together):
            self.check_cook(targets, step.verb)
        self.kinds.append("nothing")
        for targets in self.groups(step.together):
            self.check_against_full(self.check_cook(targets))

    def run_all(self):
        for targets in self.groups(True):
            self.check_against_full(self.check_cook(targets, self.script.first_verb))
        for step in self.script.steps:
            self.step(step)
            if self.stopped:
                break

    # ---- disturbances ----

    def disturb(self, item):
        """Something else than an edit, before the cook that is checked."""
        if self.options.verbose:
            print(" ", describe(item), flush=True)
        self.kinds.append(item.kind)
        self.counts[item.kind] += 1
        getattr(self, item.kind)(item)

    def pick(self, names, choice):
        names = sorted(names)
        return names[int(choice * len(names))]

    def forget(self, item):
        """`store forget` of a kept result."""
        target = self.script.targets[-1]
        ledger = self.ledgers[target]
        if ledger.kept:
            name = self.pick(ledger.kept, item.choice)
            self.command(self.world.folder, target, "store", "forget", name)
            ledger.forced.add(name)

    def lose_index(self, item):
        """The flat file is made anew from the database."""
        target = self.pick(self.script.targets, item.choice)
        os.remove(os.path.join(self.world.folder, "Saved/Cook", target, "index.bin"))

    def start_and_wait(self, choice):
        """A cook that is on its way: it has said so, has worked for a moment, and commits often,
        so that a killed one leaves something behind."""
        process = self.start_cook(self.world.folder, self.script.targets, "incremental",
                                  "--ini", "Store.CommitPackages=2")
        process.stdout.readline()
        time.sleep(choice * 0.1)
        return process

    def kill(self, item):
        """What a killed cook had committed is skipped by the next, the rest is cooked. It is
        cooked again where it must be at each cook, or waited for the whole key of another."""
        target, = self.script.targets
        process = self.start_and_wait(item.choice)
        process.kill()
        self.end_command(process)
        if os.path.exists(self.document):
            os.remove(self.document)
        graph, ledger = self.graphs([target])[target], self.ledgers[target]
        expected, _ = ledger.predict(graph)
        results = self.cook(self.world.folder, [target], "incremental").cooked[target].results
        saved = {name: result for name, result in results.items()
                 if (result == "skipped" and expected.get(name) in ("new", "recooked")) or
                 (result == "recooked" and expected.get(name) == "new" and
                  (graph.opted_out(name) or ledger.kept[name].wholes))}
        require_equal("the cook after a killed one", {**expected, **saved}, results)

    def edit_meanwhile(self, item):
        """
        An edit while a cook runs: what that one makes of it is open, and so is what the next one
        still has to do. But that one's result must be right, which the ledger then starts from.
        """
        target, = targets = self.script.targets
        process = self.start_and_wait(item.choice)
        self.world.perform(item.operations)
        during = self.end_cook(process, targets).cooked[target]
        graph = self.graphs(targets)[target]
        expected, _ = Ledger().predict(graph)
        cooked = self.cook(self.world.folder, targets, "incremental").cooked[target]
        require_equal("the cook after one that was overtaken by an edit",
                      {name: "failed" if result == "failed" else "good"
                       for name, result in expected.items()},
                      {name: "failed" if result == "failed" else "good"
                       for name, result in cooked.results.items()})
        self.ledgers[target].restart(graph, cooked.results)
        self.check_against_full(self.check_cook(targets))
        # What is kept of the others is not known then: an end as good as any.
        self.stopped = not during.results.keys() <= cooked.results.keys()
