#!/usr/bin/env python3
"""Time a validation with tracing on beside the same one with tracing off.

    tracing.py --build FOLDER [--packages N] [--rounds R] [--plugin FILE]

Two projects: N (5,000) packages of a standard class, which read nothing themselves; and with --plugin
(tests/integration/traced.so of the build) N of a class of which each opens eight files and works for
about a millisecond. Both are cooked, then validated in turn with --no-trace and without. Prints the
medians, and the median of the ratios of neighbours.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import content  # noqa: E402


def make_standard(project, packages):
    for number in range(packages):
        content.write(f"{project}/Content/F{number // 100:03}/Table{number % 100:02}.asset",
                      content.table(7, number))
    ini(project, "")


def make_reading(project, packages, plugin):
    for number in range(8):
        content.write(f"{project}/Content/Data/{number}.txt", b"eight bytes")
    for number in range(packages):
        objects = [{"name": "S", "class": "/Script/Traced.Subject",
                    "properties": {"Way": "read_many", "Path": "Content/Data"}}]
        content.write(f"{project}/Content/F{number // 100:03}/S{number % 100:02}.asset",
                      json.dumps({"objects": objects}).encode())
    ini(project, f"+Plugin={plugin}\n[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n")


def ini(project, more):
    content.write(f"{project}/cook.ini",
                  (f"[Project]\nName=Bench\n+ContentRoot=/Game=Content\n{more}"
                   "[Cook]\n+AlwaysCook=/Game/*\n").encode())


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(*command):
    """Wall clock, and processor time of all processes: the latter on a busy machine."""
    started, before = time.perf_counter(), processor_seconds()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if result.returncode:
        sys.exit(f"tracing: {' '.join(command)} ends with {result.returncode}\n"
                 + result.stdout + result.stderr)
    return seconds, processor_seconds() - before


def measure(name, cook, project, rounds):
    timed(cook, "full", "-C", project)
    off, on = [], []
    for _ in range(rounds):
        off.append(timed(cook, "incremental-validate", "-C", project, "--no-trace"))
        on.append(timed(cook, "incremental-validate", "-C", project))
    for part, what in enumerate(("wall clock", "processor time")):
        ratio = statistics.median(b[part] / a[part] for a, b in zip(off, on))
        print(f"{name}: {what} off {statistics.median(a[part] for a in off):.3f} s, "
              f"on {statistics.median(b[part] for b in on):.3f} s, ratio {ratio:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--packages", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--plugin")
    arguments = parser.parse_args()
    cook = os.path.abspath(f"{arguments.build}/bin/cook")
    with tempfile.TemporaryDirectory(prefix="bench-tracing-") as work:
        make_standard(f"{work}/standard", arguments.packages)
        measure("reads nothing undeclared", cook, f"{work}/standard", arguments.rounds)
        if arguments.plugin:
            plugin = os.path.abspath(arguments.plugin)
            make_reading(f"{work}/reading", arguments.packages, plugin)
            measure("eight undeclared opens each", cook, f"{work}/reading", arguments.rounds)


main()
