#!/usr/bin/env python3
"""Time the pages of cook serve on a large store.

    serve.py --build FOLDER [--packages N] [--rounds R] [--project FOLDER]

Makes a project of N (100,000) packages as null_cook.py does, cooks it, serves it, and asks for the answers
that each page is made of: the first time, and the median of R (20) times. --project keeps (or reuses) it.
"""
import argparse
import http.client
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import null_cook

ANSWERS = (("page", "/"), ("overview", "/api/overview"), ("findings", "/api/findings?limit=10"),
           ("packages", "/api/packages?limit=100"), ("search", "/api/packages?limit=100&q=folder77"),
           ("by size", "/api/packages?limit=100&sort=size"),
           ("last of them", "/api/packages?limit=100&offset=99900"),
           ("package", "/api/package?name=/Game/Group000/Folder00/Table00"), ("cooks", "/api/cooks"))


def ask(connection, path):
    started = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    size = len(response.read())
    if response.status != 200:
        sys.exit(f"serve: {path}: {response.status}")
    return (time.perf_counter() - started) * 1e3, size


def measure(cook, project, rounds):
    """The first time of each answer, and the median of those that follow."""
    with subprocess.Popen([cook, "serve", "-C", project, "--port", "0"], stdout=subprocess.PIPE,
                          text=True) as server:
        port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for name, path in ANSWERS:
            first, size = ask(connection, path)
            times = [ask(connection, path)[0] for _ in range(rounds)]
            print(f"{name:<14} first {first:7.1f} ms, then {statistics.median(times):7.1f} ms, "
                  f"at most {max(times):7.1f} ms, {size} bytes")
        server.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--packages", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--project")
    options = parser.parse_args()
    cook = os.path.join(os.path.abspath(options.build), "bin/cook")
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.abspath(options.project) if options.project else folder
        if not os.path.exists(os.path.join(project, "cook.ini")):
            null_cook.make_project(project, options.packages)
        null_cook.timed(cook, "incremental", "-q", "-C", project)
        measure(cook, project, options.rounds)


if __name__ == "__main__":
    main()
