#!/usr/bin/env python3
"""Time a null cook as a whole process beside the limit: a program that only stats the same files.

    null_cook.py --build FOLDER [--packages N] [--rounds R] [--project FOLDER]

Makes a project of N (100,000) packages of one .asset file each (100 a folder, about 1 KiB), cooks it,
and then runs `cook incremental` and bench_statx in turn. Prints both medians, the median of the
ratios of neighbours, and what the cook's trace says of its phases. --project keeps (or reuses) it.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import content  # noqa: E402

FILES_PER_FOLDER = 100
FOLDERS_PER_GROUP = 100


def folder_of(number):
    folder = number // FILES_PER_FOLDER
    return f"Content/Group{folder // FOLDERS_PER_GROUP:03}/Folder{folder % FOLDERS_PER_GROUP:02}"


def make_project(project, packages):
    for number in range(packages):
        content.write(f"{project}/{folder_of(number)}/Table{number % FILES_PER_FOLDER:02}.asset",
                      content.table(7, number))
    content.write(f"{project}/cook.ini", b"[Project]\nName=Null\n+ContentRoot=/Game=Content\n"
                                         b"[Cook]\n+AlwaysCook=/Game/*\n")


def make_list(path, packages):
    """What bench_statx reads: a folder, then its names."""
    with open(path, "wb") as file:
        for number in range(packages):
            if number % FILES_PER_FOLDER == 0:
                file.write(f"/{folder_of(number)}\0".encode())
            file.write(f"Table{number % FILES_PER_FOLDER:02}.asset\0".encode())


def timed(*command):
    started = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if result.returncode:
        sys.exit(f"null_cook: {' '.join(command)} ends with {result.returncode}\n"
                 + result.stdout + result.stderr)
    return seconds * 1e3, result.stdout


def phases(cook, project):
    """Milliseconds of each phase of one more null cook, by its trace."""
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        timed(cook, "incremental", "-q", "-C", project, "--trace", trace.name)
        with open(trace.name, encoding="utf-8") as file:  # it was replaced
            events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    return ", ".join(f"{event['name']} {event['dur'] / 1e3:.1f} ms" for event in events
                     if event.get("cat") == "phase")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--packages", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--project")
    options = parser.parse_args()
    cook = os.path.join(os.path.abspath(options.build), "bin/cook")
    bench = os.path.join(os.path.abspath(options.build), "tests/bench/bench_statx")
    with tempfile.TemporaryDirectory() as folder:
        project = options.project or os.path.join(folder, "project")
        if not os.path.exists(os.path.join(project, "cook.ini")):
            make_project(project, options.packages)
        files = os.path.join(folder, "files")
        make_list(files, options.packages)
        full, _ = timed(cook, "incremental", "-q", "-C", project)
        # Times of files and cook must differ, or the files count as racy and are read again.
        time.sleep(2)
        timed(cook, "incremental", "-q", "-C", project)
        null, limit = [], []
        for _ in range(options.rounds):
            milliseconds, text = timed(cook, "incremental", "-C", project)
            if f"skipped {options.packages}, failed 0" not in text:
                sys.exit("null_cook: not a null cook\n" + text)
            null.append(milliseconds)
            limit.append(timed(bench, project, files, str(options.threads))[0])
        ratios = [a / b for a, b in zip(null, limit)]
        print(f"{options.packages} packages; the first cook took {full / 1e3:.1f} s")
        print(f"null cook {statistics.median(null):.1f} ms ({min(null):.1f} to {max(null):.1f}), "
              f"statx on {options.threads} threads {statistics.median(limit):.1f} ms "
              f"({min(limit):.1f} to {max(limit):.1f})")
        print(f"ratio {statistics.median(ratios):.2f} (budget: 1.3 from 100,000 packages, 3 at 10,000)")
        print(f"phases: {phases(cook, project)}")


if __name__ == "__main__":
    main()
