#!/usr/bin/env python3
"""Name addresses beside llvm-symbolizer and addr2line, as whole processes, and compare what they say.

    symbols.py --build FOLDER [--file ELF] [--addresses N] [--rounds R]

N (10,000) distinct addresses all over the code of an ELF file with a build id and debug information (the
cook library by default), inlined calls included; some lie between functions, where addr2line names the
function before. Prints the medians, the median of the ratios of neighbours,
and at how many addresses another frame is named, after what a compiler appends to a clone's name is cut off.
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys
import time

SHOWN = 5  # addresses that are named otherwise


def timed(command, addresses):
    start = time.monotonic()
    result = subprocess.run(command, input=addresses, stdout=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - start, result.stdout


def fold(function):
    return re.sub(r"\.(constprop|isra|part|cold|lto_priv)\b.*", "", function)


def place(text):
    """File and line, without the column, and without how the way to the file is written."""
    text = re.sub(r" \(discriminator \d+\)$", "", text)
    parts = text.rsplit(":", 2)
    name, line = (parts[0], parts[1]) if len(parts) == 3 and parts[2].isdigit() else text.rsplit(":", 1)
    return os.path.basename(name), 0 if line == "?" else int(line)


def frames_of(lines):
    return [(fold(lines[i]), *place(lines[i + 1])) for i in range(0, len(lines) - 1, 2)]


def by_blank(out):
    return [frames_of(block.splitlines()) for block in out.strip("\n").split("\n\n")]


def by_address(out):
    blocks, lines = [], None
    for line in out.splitlines():
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            lines = []
            blocks.append(lines)
        else:
            lines.append(line)
    return [frames_of(block) for block in blocks]


def kind_of(ours, theirs):
    """How two namings of an address differ; none where they are the same."""
    if ours == theirs:
        return None
    if [f[0] for f in ours] == [f[0] for f in theirs]:
        return "the same functions, another line"
    if theirs and theirs[0][0] == "??":
        return "named by us alone"
    if ours and ours[0][0] == "??":
        return "not named by us"
    return "other inlined calls" if ours and theirs and ours[-1][0] == theirs[-1][0] else "another function"


def compare(name, addresses, ours, theirs):
    differing = [(address, a, b) for address, a, b in zip(addresses, ours, theirs) if a != b]
    kinds = collections.Counter(kind_of(a, b) for _, a, b in differing)
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=str))
    print(f"against {name}: {len(addresses) - len(differing)} of {len(addresses)} the same"
          + (f"; {said}" if said else ""))
    for address, a, b in differing[:SHOWN]:
        print(f"    {address}: {a} here, {b} there")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--file")
    parser.add_argument("--addresses", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    bench = os.path.join(given.build, "tests/bench/bench_symbols")
    file = os.path.realpath(given.file or os.path.join(given.build, "lib/libcook.so"))
    listed = subprocess.run([bench, "addresses", file, str(given.addresses)], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    addresses = list(dict.fromkeys(listed.split()))
    listed = "".join(address + "\n" for address in addresses)
    tools = {
        "cook": [bench, "name", file],
        "llvm-symbolizer": ["llvm-symbolizer", "--no-demangle", "--inlining", f"--obj={file}"],
        "addr2line": ["addr2line", "-afie", file],
    }
    times, outputs = collections.defaultdict(list), {}
    for _ in range(given.rounds):
        for name, command in tools.items():
            took, outputs[name] = timed(command, listed)
            times[name].append(took)
    print(f"{len(addresses)} addresses of {os.path.basename(file)}, {os.path.getsize(file) / 1e6:.1f} MB: "
          + ", ".join(f"{name} {statistics.median(took) * 1e3:.0f} ms" for name, took in times.items()))
    for name in ("llvm-symbolizer", "addr2line"):
        ratio = statistics.median(a / b for a, b in zip(times["cook"], times[name]))
        print(f"ratio to {name}: {ratio:.2f}")
    ours = by_blank(outputs["cook"])
    compare("llvm-symbolizer", addresses, ours, by_blank(outputs["llvm-symbolizer"]))
    compare("addr2line", addresses, ours, by_address(outputs["addr2line"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
