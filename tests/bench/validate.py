#!/usr/bin/env python3
"""Time a validation that finds nothing beside its yardstick: a full cook of the same packages.

    validate.py --build FOLDER [--textures N] [--tables N] [--rounds R] [--project FOLDER]

Makes a project of N textures (160, of 256 x 256) and N tables (2,000, of 40 rows), cooks it, and then
runs `cook full` and `cook incremental-validate` in turn, both over a store that holds everything.
Prints both medians and the median of the ratios of neighbours. The budget is 1.05.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import content  # noqa: E402

BUDGET = 1.05


def picture(side, seed):
    rng = random.Random(seed)
    rows = bytearray()
    for _ in range(side):
        rows.append(0)
        rows += rng.randbytes(side * 3)
    return content.png_of_rows(side, side, bytes(rows))


def make_project(project, textures, tables):
    for number in range(textures):
        content.write(f"{project}/Content/Textures/T{number}.png", picture(256, number))
    for number in range(tables):
        content.write(f"{project}/Content/Tables{number % 20}/Table{number}.asset",
                      content.table(40, number))
    content.write(f"{project}/cook.ini", b"[Project]\nName=Bench\n+ContentRoot=/Game=Content\n"
                                         b"[Cook]\n+AlwaysCook=/Game/*\n")


def timed(*command):
    started = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if result.returncode:
        sys.exit(f"validate: {' '.join(command)} ends with {result.returncode}\n"
                 + result.stdout + result.stderr)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--textures", type=int, default=160)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--project")
    options = parser.parse_args()
    cook = os.path.abspath(os.path.join(options.build, "bin", "cook"))
    project = options.project or tempfile.mkdtemp()
    if not os.path.exists(f"{project}/cook.ini"):
        make_project(project, options.textures, options.tables)
    timed(cook, "full", "-C", project, "-q")
    pairs = []
    for _ in range(options.rounds):
        full = timed(cook, "full", "-C", project, "-q")
        pairs.append((full, timed(cook, "incremental-validate", "-C", project, "-q")))
    full = statistics.median(pair[0] for pair in pairs)
    validate = statistics.median(pair[1] for pair in pairs)
    ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
    print(f"cook full                  {full * 1e3:9.1f} ms")
    print(f"cook incremental-validate  {validate * 1e3:9.1f} ms")
    print(f"ratio {ratio:.3f}, budget {BUDGET}: {'kept' if ratio <= BUDGET else 'OVER'}")


if __name__ == "__main__":
    main()
