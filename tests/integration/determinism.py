#!/usr/bin/env python3
"""cook determinism over planted faults, each beside a clean twin, and over the standard classes.

    determinism.py BIN_FOLDER PLUGIN_FOLDER ARENA_PROJECT
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

# fault: (the perturbation that must be named, what must differ)
FAULTS = {
    "Clock": ("clock", "bytes"),
    "Timezone": ("timezone", "bytes"),
    "Locale": ("locale", "bytes"),
    "Host": ("host", "bytes"),
    "Environment": ("environment", "bytes"),
    "Umask": ("umask", "bytes"),
    "Pointer": ("aslr", "bytes"),
    "Memory": ("heap", "bytes"),
    "Counter": ("order", "bytes"),
    "Cache": ("order", "dependencies"),
    "Processors": ("processors", "bytes"),
    "Race": ("timing", "bytes"),
    "Random": ("seed", "bytes"),
    "Process": ("process", "bytes"),
    "Together": ("timezone+umask", "bytes"),
}


def make_project(folder, plugin):
    os.makedirs(f"{folder}/Content")

    def asset(name, fault, clean):
        objects = [{"name": "S", "class": "/Script/Determinism.Subject",
                    "properties": {"Fault": fault, "Clean": clean}}]
        with open(f"{folder}/Content/{name}.asset", "w", encoding="utf-8") as file:
            json.dump({"objects": objects}, file)

    for fault in FAULTS:
        asset(fault, fault, False)
        asset(fault + "Twin", fault, True)
    asset("CacheAgain", "Cache", False)
    asset("CounterAgain", "Counter", False)
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Determinism\n+ContentRoot=/Game=Content\n"
                   f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\n"
                   "[Subject]\nValue=7\n")


def determinism(bin_folder, folder, *arguments):
    environment = dict(os.environ)
    environment.pop("TZ", None)
    environment["LC_ALL"] = "C"
    path = f"{folder}/determinism.json"
    result = subprocess.run([f"{bin_folder}/cook", "determinism", "-C", folder, "--json", path,
                             *arguments], text=True, capture_output=True, check=False,
                            env=environment)
    if result.returncode not in (0, 1):
        sys.exit(f"exit {result.returncode}\n{result.stdout}{result.stderr}")
    with open(path, encoding="utf-8") as file:
        return result, json.load(file)


def check(document):
    wrong = []
    found = {f["package"].rsplit("/", 1)[1]: f for f in document["findings"]}
    impossible = {p["name"]: p["not_tried"] for p in document["perturbations"] if "not_tried" in p}
    for fault, (perturbation, part) in FAULTS.items():
        if perturbation in impossible:
            print(f"{fault}: not tried here: {impossible[perturbation]}")
            continue
        finding = found.get(fault) or found.get(fault + "Again")
        if not finding:
            wrong.append(f"{fault}: not found")
        elif perturbation not in finding["perturbation"].split(",") or part not in finding["parts"]:
            wrong.append(f"{fault}: {finding['perturbation']} {finding['parts']}")
        elif part == "bytes" and not any(d["property"].endswith("Value")
                                         for d in finding["differences"]):
            wrong.append(f"{fault}: the difference is not shown")
        elif part == "dependencies" and "[Subject] Value" not in finding["detail"]:
            wrong.append(f"{fault}: the cached key is not named: {finding['detail']}")
    wrong += [f"{name}: a clean twin was reported, {found[name]['perturbation']}"
              for name in found if name.endswith("Twin")]
    return wrong


def run_reproduce_lines(bin_folder, document):
    """Each finding ends with the command line that shows it again: run as it was printed."""
    wrong = []
    environment = dict(os.environ, LC_ALL="C", PATH=f"{bin_folder}:{os.environ['PATH']}")
    environment.pop("TZ", None)
    for finding in document["findings"]:
        line = finding["reproduce"]
        result = subprocess.run(f"{line} --json -", shell=True, text=True, capture_output=True,
                                check=False, env=environment)
        if result.returncode != 1:
            wrong.append(f"{line}: exit {result.returncode}\n{result.stderr}")
            continue
        again = {(f["package"], f["verdict"]) for f in json.loads(result.stdout)["findings"]}
        if (finding["package"], finding["verdict"]) not in again:
            wrong.append(f"{line}: {finding['package']} is not found again")
    return wrong


def check_arena(bin_folder, arena, folder):
    """The standard classes and our own code: clean."""
    shutil.copytree(arena, folder, ignore=shutil.ignore_patterns("Saved"))
    result, document = determinism(bin_folder, folder)
    if result.returncode == 0 and not document["findings"]:
        return []
    return [f"arena: exit {result.returncode}\n{result.stdout}{result.stderr}"]


def main():
    bin_folder, plugins, arena = (os.path.realpath(a) for a in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        os.mkdir(f"{folder}/planted")
        make_project(f"{folder}/planted", f"{plugins}/determinism.so")
        result, document = determinism(bin_folder, f"{folder}/planted")
        wrong = check(document)
        wrong += run_reproduce_lines(bin_folder, document)
        wrong += [f"not printed: {f['reproduce']}" for f in document["findings"]
                  if f"reproduce: {f['reproduce']}\n" not in result.stdout]
        if result.returncode != 1:
            wrong.append(f"exit {result.returncode}")
        if os.path.exists(f"{folder}/planted/Saved/Cook/Desktop/cook.db"):
            wrong.append("a store was written")
        result, document = determinism(bin_folder, f"{folder}/planted", "--vary", "umask")
        names = [f["package"] for f in document["findings"]]
        if names != ["/Game/Umask"]:
            wrong.append(f"--vary umask found {names}")
        wrong += check_arena(bin_folder, arena, f"{folder}/arena")
    for line in wrong:
        print(line)
    print(f"{len(FAULTS) * 3 + 4 - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
