#!/usr/bin/env python3
"""The order in which packages are loaded never matters.

For random projects: a package that was first loaded for another one, or that is resident from an
earlier one, or that is cooked alone in a fresh worker, gives the same bytes, records the same
dependencies and logs the same messages.

    order.py --bin BUILD/bin --plugins BUILD/tests/property [--seed N] [--worlds N] [--packages N]
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import generate
from world import World

ROUNDS = 7  # reversed, shuffled, each alone, and again


def check(options, seed):
    """What is wrong with one world; empty when nothing is."""
    rng = random.Random(f"order {seed}")
    folder = tempfile.mkdtemp()
    world = World(folder, options.plugins, rng.choice(generate.TARGETS))
    world.perform([("plugin", "base")])
    files = generate.generate(rng, options.packages, world.inputs.target)
    world.perform([("write", path, data, "replace") for path, data in files.items()])
    document = f"{folder}/order.json"
    result = subprocess.run(
        [f"{options.bin}/cook", "determinism", "-C", folder, "--target", world.inputs.target,
         "--vary", "order,shuffle,residency", "--rounds", str(ROUNDS), "--workers", "2", "--json",
         document], text=True, capture_output=True, check=False)
    wrong = []
    if result.returncode not in (0, 3):  # packages that fail do so in any order
        wrong.append(f"seed {seed}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    with open(document, encoding="utf-8") as file:
        summary = json.load(file)["summary"]
    if not wrong and summary["deterministic"] < options.packages // 2:
        wrong.append(f"seed {seed}: only {summary['deterministic']} packages were cooked")
    shutil.rmtree(folder)
    return wrong, summary["deterministic"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--packages", type=int, default=50)
    options = parser.parse_args()
    options.bin, options.plugins = map(os.path.abspath, (options.bin, options.plugins))
    wrong, packages = [], 0
    for seed in range(options.seed, options.seed + options.worlds):
        found, count = check(options, seed)
        wrong += found
        packages += count
    for line in wrong:
        print(line)
    print(f"{packages} packages of {options.worlds} worlds in {ROUNDS} orders each, "
          f"{len(wrong)} worlds wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
