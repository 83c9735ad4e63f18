#!/usr/bin/env python3
"""Each option that a verb's --help lists stands in its man page, or in cook(1); and no page lists another.

    man_options.py BIN SOURCE [VERB…]    BIN holds the verbs, SOURCE is the root of the sources
"""
import glob
import os
import re
import subprocess
import sys


def page_options(path):
    """Listed ones (an item of a list), and all that are named anywhere."""
    with open(path) as file:
        text = file.read()
    listed = set()
    for line in re.findall(r"^\.It (.*)$", text, re.M):
        listed |= set(re.findall(r"(?:Fl|,) -([a-z][a-z-]*)", line))
    named = set(re.findall(r"(?:(?:Fl|,) -|\\-\\-|--)([a-z][a-z-]*)", text))
    return listed, named


def help_options(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text)), text


def check(program, pages, common):
    verb = os.path.basename(program)
    if verb not in pages:
        return [f"{verb}: no man page"]
    options, text = help_options(program)
    listed, named = page_options(pages[verb])
    # An option of another program may be named in a help text, in quotes: --worker-prefix='gdb --args'.
    options -= set(re.findall(r"'[^'\n]*--([a-z][a-z-]*)[^'\n]*'", text))
    return ([f"{verb} --help lists --{option}, its man page does not" for option in
             sorted(options - named - common)]
            + [f"the man page of {verb} lists --{option}, its --help does not" for option in
               sorted(listed - options)])


def main():
    binaries, source = sys.argv[1:3]
    pages = {os.path.basename(path)[:-2]: path for path in glob.glob(f"{source}/*/man/*.1")}
    common = page_options(pages["cook"])[0]
    verbs = [os.path.join(binaries, f"cook-{verb}") for verb in sys.argv[3:]]
    verbs = verbs or [path for path in sorted(glob.glob(f"{binaries}/cook-*"))
                      if "." not in os.path.basename(path) and not path.endswith("/cook-worker")]
    if len(verbs) < 2 or not common:
        sys.exit("man_options: nothing to compare")
    # A page of another verb must not do: neither all that is missing nor what is too much.
    planted = check(verbs[0], {os.path.basename(verbs[0]): pages["cook-store"]}, set())
    if not any("does not" in fault and "lists --target" in fault for fault in planted):
        sys.exit("man_options: it does not notice what is missing")
    faults = [fault for verb in verbs for fault in check(verb, pages, common)]
    print("\n".join(faults) or f"{len(verbs)} verbs agree with their man pages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
