#!/usr/bin/env python3
"""Time a full cook with --record-callstacks beside the same one without.

    callstacks.py --build FOLDER [--packages N] [--rows R] [--rounds K]

N (2,000) tables of R (40) rows, cooked in full in turn with and without. Prints the medians, the median
of the ratios of neighbours, and what the store holds more.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import content  # noqa: E402


def cook(build, project, store, *arguments):
    start = time.monotonic()
    subprocess.run([os.path.join(build, "bin/cook"), "full", "-C", project, "-q", "--store-name",
                    store, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def stored_bytes(project, store):
    folder = f"{project}/Saved/Cook/{store}"
    blobs = sum(os.path.getsize(f"{folder}/blobs/{name}") for name in os.listdir(f"{folder}/blobs"))
    return blobs + os.path.getsize(f"{folder}/cook.db")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--packages", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as project:
        content.write(f"{project}/cook.ini", b"[Project]\nName=Bench\n+ContentRoot=/Game=Content\n"
                                             b"[Cook]\n+AlwaysCook=/Game/*\n")
        for number in range(given.packages):
            content.write(f"{project}/Content/F{number // 100:03}/Table{number % 100:02}.asset",
                          content.table(given.rows, number))
        off, on = [], []
        for _ in range(given.rounds):
            off.append(cook(given.build, project, "off"))
            on.append(cook(given.build, project, "on", "--record-callstacks"))
        ratio = statistics.median(b / a for a, b in zip(off, on))
        print(f"{given.packages} packages: off {statistics.median(off):.3f} s, "
              f"on {statistics.median(on):.3f} s, ratio {ratio:.2f}")
        without, recorded = stored_bytes(project, "off"), stored_bytes(project, "on")
        print(f"store: off {without} bytes, on {recorded} bytes, ratio {recorded / without:.3f}")


if __name__ == "__main__":
    main()
