#!/usr/bin/env python3
"""The property test of incremental cooking.

For random projects and random sequences of edits, of all that a cook may depend on: after every
incremental cook the recooked, new, skipped, omitted and failed packages are exactly those that
the model predicts; a second cook at once skips all that may be skipped; and the results, the
additional files, the artifacts, the staged zip files, the keys and the messages equal those of
a fresh full cook of the same sources.

    incremental.py --bin BUILD/bin --plugins BUILD/tests/property --quick
    incremental.py --bin BUILD/bin --plugins BUILD/tests/property --sequences 1000 --jobs 2

A sequence that fails is made as short as it can be, and is printed with the command that repeats
it. With --mutant, a fault is planted in the classes: then the test fails when nothing is found.
"""
import argparse
import collections
import concurrent.futures
import os
import shlex
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the test's own folder stays as it is

from edits import WEIGHTS
from script import DISTURBANCES, Script, describe
from sequence import Mismatch, Sequence
from shrink import shrink

# What a planted fault shows in, and nothing else.
MUTANTS = {
    "undeclared": "of the edited project",        # config values and files are read unrecorded
    "overdeclared": "of the edited project",      # config is declared that is not read
    "fold": "files of a fresh full cook",         # an artifact in the order of arrival
}


def make_script(options, seed, numbers):
    script = Script(seed, options)
    if numbers is not None:
        script.keep(numbers)
    return script


def run_script(options, script):
    """(the sequence, how it failed or None)"""
    folder = tempfile.mkdtemp(prefix="property-", dir=options.folder)
    sequence, report = None, None
    try:
        sequence = Sequence(options, script, folder)
        sequence.run_all()
    except Mismatch as mismatch:
        report = (f"target {' and '.join(script.targets)}, after "
                  f"{', '.join(sequence.kinds) or 'the first cook'}\n  {mismatch}")
        if options.keep:
            report += f"\n  kept: {folder}"
    if report is None or not options.keep:
        shutil.rmtree(folder)
    return sequence, report


def shrink_script(options, seed, script):
    """The numbers of the items that it takes."""
    quiet = argparse.Namespace(**{**vars(options), "keep": False, "verbose": False})

    def fails(numbers):
        fewer = make_script(quiet, seed, numbers)
        return fewer.is_possible() and run_script(quiet, fewer)[1] is not None
    return shrink(script.numbers(), fails, options.shrink_seconds)


def replay_command(options, seed, numbers):
    words = [sys.argv[0], "--bin", options.bin, "--plugins", options.plugins, "--seed", str(seed),
             "--sequences", "1", "--only", ",".join(map(str, numbers)) or "none", "--keep",
             "--verbose"]
    words += ["--quick"] if options.quick else []
    words += ["--mutant", options.mutant] if options.mutant else []
    return shlex.join(words)


def run_sequence(options, seed):
    """(what was done by kind, cooks, report or None)"""
    script = make_script(options, seed, options.only)
    sequence, report = run_script(options, script)
    if report is None:
        return sequence.counts, sequence.cooks, None
    lines = [f"FAILED sequence {seed}, {report}"]
    if options.shrink_seconds and options.only is None:
        numbers = shrink_script(options, seed, script)
        short = make_script(options, seed, numbers)
        items = [item for step in short.steps for item in step.items()]
        lines.append(f"  {len(numbers)} of {len(script.numbers())} items are enough:")
        lines += [f"    {describe(item)}" for item in items]
        lines.append(f"  repeat it: {replay_command(options, seed, numbers)}")
    return sequence.counts, sequence.cooks, "\n".join(lines)


def parse_numbers(text):
    return [int(number) for number in text.split(",")] if text != "none" else []


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the cook command")
    parser.add_argument("--plugins", required=True, help="folder of the built plugin variants")
    parser.add_argument("--seed", type=int, default=1, help="of the first sequence")
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1, help="sequences at a time")
    parser.add_argument("--quick", action="store_true", help="12 short sequences")
    parser.add_argument("--large", action="store_true", help="larger projects, more edits")
    parser.add_argument("--only", type=parse_numbers, metavar="NUMBERS",
                        help="of a sequence's edits, those with these numbers; or: none")
    parser.add_argument("--mutant", choices=MUTANTS, help="plant this fault; it must be found")
    parser.add_argument("--shrink-seconds", type=float, default=60,
                        help="time to shorten a sequence that fails; 0: not at all")
    parser.add_argument("--folder", help="where projects are made; the system's by default")
    parser.add_argument("--keep", action="store_true",
                        help="keep the project of a failed sequence")
    parser.add_argument("--verbose", action="store_true", help="print edits and commands")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    options.plugins = os.path.abspath(options.plugins)
    options.packages, options.edits, options.small_bias = (16, 50), (2, 6), 4
    if options.large:
        options.packages, options.edits, options.small_bias = (30, 200), (10, 40), 2
    if options.quick:
        options.packages, options.edits = (16, 24), (3, 5)
        options.sequences = min(options.sequences, 12)
    return options


def run_all(options):
    """(what was done, cooks, reports)"""
    counts, cooks, reports = collections.Counter(), 0, []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.sequences)
        futures = [pool.submit(run_sequence, options, seed) for seed in seeds]
        for done, future in enumerate(concurrent.futures.as_completed(futures), start=1):
            kinds, run, report = future.result()
            counts.update(kinds)
            cooks += run
            if done % 100 == 0:
                print(f"{done} sequences", flush=True)
            if report:
                reports.append(report)
                print(report, flush=True)
    return counts, cooks, reports


def find_mutant(options):
    """Run sequences until the planted fault is found. Exit status."""
    wanted = MUTANTS[options.mutant]
    for seed in range(options.seed, options.seed + options.sequences):
        _, _, report = run_sequence(options, seed)
        if report:
            print(report)
            found = wanted in report.split("\n")[1]
            print(f"mutant {options.mutant}: {'found' if found else 'something else'} "
                  f"in sequence {seed}")
            return 0 if found else 1
    print(f"mutant {options.mutant}: not found in {options.sequences} sequences")
    return 1


def main():
    options = parse_options()
    if options.mutant:
        return find_mutant(options)
    started = time.monotonic()
    counts, cooks, reports = run_all(options)
    edits = sum(counts[kind] for kind in WEIGHTS)
    print(f"{edits} edits and {cooks} checked cooks in {time.monotonic() - started:.0f} s:")
    for kind in WEIGHTS:
        print(f"  {kind:20} {counts[kind]:6}")
    print("and besides:")
    for kind in DISTURBANCES:
        print(f"  {kind:20} {counts[kind]:6}")
    print(f"{options.sequences - len(reports)} passed, {len(reports)} failed")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
