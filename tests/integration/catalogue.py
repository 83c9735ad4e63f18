#!/usr/bin/env python3
"""The catalogue of planted faults: each beside its clean twin, found, judged, and its cause named.

    catalogue.py BIN_FOLDER BUILD_FOLDER [--keep FOLDER]

All faults stand in one project. It is cooked in full; then everything that no dependency knows of
changes at once (files, variables, code, a library), and what is declared changes too; an incremental
cook follows, a validation and a determinism check. The table says for each fault which instrument
found it, the verdict, the kind of the cause and the function on its callstack. No twin may be found. Last, a
full cook is compared with the incremental one: it must agree with the validation.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from machine import Machine

VALIDATE, DETERMINISM, COOK = "validate", "determinism", "cook"

# fault: (instrument, verdict, cause, function on the stack of the cause)
FAULTS = {}


def faults(instrument, verdict, kind, text):
    for line in text.split():
        name, _, function = line.partition(":")
        reads = kind in ("static_cache", "hidden_read", "undeclared_input", "code_changed")
        FAULTS[name] = (instrument, verdict, kind,
                        function or f"{name}_{'value' if reads else 'serialize'}")


faults(VALIDATE, "false_skip", "static_cache",
       "CachedConfig CachedVariable CachedToken CachedEnvironment CachedFile CachedFolder "
       "CachedQuery CachedPointer")
faults(VALIDATE, "false_skip", "code_changed",
       "DeepSerializer:deep_inner ConstantTable:odds_table TextTable SwitchCase "
       "PreSaveCode:PreSaveCode_pre_save PostLoadCode:PostLoadCode_post_load InlinedCode "
       "FunctionTable:other_of DefaultObject:shared_default FloatConstant:float_constant "
       "ThirdParty:third_number")
faults(VALIDATE, "false_skip", "environment",
       "Environment LoadEnvironment PostLoadEnvironment EnvironmentWalk")
faults(VALIDATE, "false_skip", "time_zone", "TimeZone")
faults(VALIDATE, "false_skip", "locale", "Locale")
faults(VALIDATE, "false_skip", "umask", "Umask")
faults(VALIDATE, "false_skip", "command_line", "HiddenToken")
faults(VALIDATE, "false_skip", "hidden_read", "HiddenConfig HiddenRead RedirectMissed")
faults(VALIDATE, "indeterminate", "time", "Clock")
faults(VALIDATE, "indeterminate", "unknown", "Ticks")
faults(VALIDATE, "indeterminate", "random", "RandomDevice RandomCall")
faults(VALIDATE, "indeterminate", "process_id", "ProcessId")
faults(VALIDATE, "indeterminate", "memory_address", "Pointer FunctionAddress")
faults(VALIDATE, "indeterminate", "unordered_container", "HashOrder:HashOrder_serialize")
faults(DETERMINISM, "unstable_bytes", "time", "Today TimeSeed")
faults(DETERMINISM, "unstable_bytes", "host", "HostName")
faults(DETERMINISM, "unstable_bytes", "processors", "Processors")
faults(DETERMINISM, "unstable_bytes", "absolute_path", "AbsolutePath WorkingFolder")
faults(DETERMINISM, "unstable_bytes", "uninitialised_memory", "HeapGarbage Padding StackGarbage")
faults(DETERMINISM, "unstable_bytes", "directory_order", "FolderOrder")
faults(DETERMINISM, "unstable_bytes", "thread_timing", "ThreadRace")
faults(DETERMINISM, "unstable_bytes", "left_state",
       "StaticCounter Singleton LeftoverBuffer FloatMode ErrnoLeak ThreadLocal")
faults(COOK, "failed", "missing harvest", "MissingHarvest:Late")

UNDECLARED = ("HiddenFile MappedFile HiddenFolder FileTime FileSize FilePresence LinkTarget RawCall "
              "OwnParser ChildProcess HelperLibrary LoadTimeFile:LoadTimeFile_read "
              "PostLoadFile:PostLoadFile_post_load PreSaveFile:PreSaveFile_pre_save "
              "ThreadFile:ThreadFile_job")
faults(VALIDATE, "false_skip", "undeclared_input", UNDECLARED)

# Where the kept cook can be made on another machine.
ELSEWHERE = {"HostName": (VALIDATE, "false_skip", "host", "HostName_serialize"),
             "Processors": (VALIDATE, "false_skip", "processors", "Processors_serialize")}
MACHINE_ZONE = (VALIDATE, "false_skip", "time_zone", "TimeZone_serialize")

# Faults that show in the second package of a process only, and whose first package is recooked.
CACHED = [name for name in FAULTS if name.startswith("Cached")]
SETTERS = {"Singleton": "SingletonSetter", "FloatMode": "FloatModeSetter",
           "StaticCounter": "StaticCounter", "ErrnoLeak": "ErrnoLeakSetter",
           "ThreadLocal": "ThreadLocal"}
OWN_TWIN = [name for name, fault in FAULTS.items() if fault[2] == "code_changed"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def asset(folder, name, class_name, **properties):
    write(f"{folder}/Content/{name}.asset", json.dumps({"objects": [{
        "name": "S", "class": f"/Script/Catalogue.{class_name}", "properties": properties}]}))


def make_packages(folder):
    source = {"Other": {"$ref": "/Sources/Number.S"}}
    asset(folder, "../Sources/Number", "Source", Number=5)
    for name, fault in FAULTS.items():
        rest = source if name in ("CachedPointer", "MissingHarvest") else {}
        if fault[0] == COOK:  # would fail each cook: a project of its own
            continue
        if name in CACHED:  # the package that comes first reads, the next does not
            asset(folder, f"{name}Again", name, Clean=False, **rest)
            asset(folder, f"{name}AgainTwin", name, Clean=True, **rest)
        asset(folder, name, name, Clean=False, **rest)
        twin = f"{name}Twin" if name in OWN_TWIN else name
        asset(folder, f"{name}Twin", twin, Clean=True, **rest)
    for name, setter in SETTERS.items():
        asset(folder, f"{name}Before", setter, Clean=False)


def config(level):
    return ("[Project]\nName=Catalogue\n+ContentRoot=/Game=Content\n"
            "+ContentRoot=/Sources=Sources\n+Plugin=catalogue.so\n"
            "[Cook]\n+AlwaysCook=/Game/*\n"
            "[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n"
            f"[Catalogue]\nCached={level}\nHidden={level}\n"
            f"[ConsoleVariables]\nr.Catalogue={level}\n"
            f"[Redirects]\n+Redirect=/Game/Old -> /Game/New{level}\n")


def make_project(folder, build):
    make_packages(folder)
    write(f"{folder}/cook.ini", config(1))
    for name in ("file", "mapped", "time", "size", "raw", "child", "load", "post_load", "pre_save",
                 "thread", "link-target"):
        write(f"{folder}/hidden/{name}.txt", "before")
    write(f"{folder}/hidden/own.ini", "Level=1\n")
    write(f"{folder}/hidden/folder/one.txt", "")
    os.symlink("before", f"{folder}/hidden/link")
    for name in ("scope", "cached"):
        write(f"{folder}/declared/{name}.txt", "before")
    for name in ("a", "b", "c"):
        write(f"{folder}/declared/folder/{name}", "")
        write(f"{folder}/declared/listed/{name}", "")
    os.makedirs(f"{folder}/lib")
    for name in ("libthird.so", "libhelper.so"):
        shutil.copy(f"{build}/libcatalogue_third_1.so", f"{folder}/lib/{name}")
    shutil.copy(f"{build}/catalogue_before.so", f"{folder}/catalogue.so")


def replace(source, path):
    shutil.copy(source, path + ".new")
    os.rename(path + ".new", path)


def change_all(folder, build):
    """Everything at once: what nobody declared, and what the twins did."""
    write(f"{folder}/cook.ini", config(2))
    for name in ("file", "mapped", "size", "raw", "child", "load", "post_load", "pre_save", "thread",
                 "link-target"):
        write(f"{folder}/hidden/{name}.txt", "after, and longer")
    write(f"{folder}/hidden/time.txt", "after")
    os.utime(f"{folder}/hidden/time.txt", (2000000000, 2000000000))
    write(f"{folder}/hidden/own.ini", "Level=2\n")
    write(f"{folder}/hidden/folder/two.txt", "")
    write(f"{folder}/hidden/presence.txt", "")
    os.remove(f"{folder}/hidden/link")
    os.symlink("after", f"{folder}/hidden/link")
    for name in ("scope", "cached"):
        write(f"{folder}/declared/{name}.txt", "after")
    write(f"{folder}/declared/folder/d", "")
    asset(folder, "CountedNew", "Source", Number=1)
    asset(folder, "../Sources/Number", "Source", Number=6)
    for name in ("libthird.so", "libhelper.so"):
        replace(f"{build}/libcatalogue_third_2.so", f"{folder}/lib/{name}")
    replace(f"{build}/catalogue_after.so", f"{folder}/catalogue.so")


def surroundings(folder, level):
    names = ("PLAIN", "LOAD", "POST_LOAD", "CACHED")
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH")}
    environment |= {f"CATALOGUE_{name}": f"{name}{level}" for name in names}
    environment["LD_LIBRARY_PATH"] = f"{folder}/lib"
    environment["TZ"] = "UTC" if level == 1 else "XYZ-3:30"
    environment["LC_ALL"] = "C" if level == 1 else "C.UTF-8"
    return environment


class Studio:
    def __init__(self, bin_folder, folder, machine=None, zone=True):
        self.cook = f"{bin_folder}/cook"
        self.folder = folder
        self.machine = machine  # of the first cook
        self.zone = zone  # a variable says which; or else the machine
        self.level = 1

    def run(self, verb, *arguments, allowed=(0, 1)):
        umask = 0o022 if self.level == 1 else 0o027
        command = [self.cook, verb, "-C", self.folder, "--workers", "1", "--json",
                   f"{self.folder}/{verb}.json", *arguments, "--", f"-Level={self.level}",
                   f"-Cached={self.level}"]
        environment = surroundings(self.folder, self.level)
        if not self.zone:
            del environment["TZ"]
        there = self.machine.enter if self.machine and self.level == 1 else None
        result = subprocess.run(command, text=True, capture_output=True, check=False,
                                env=environment, umask=umask, preexec_fn=there)
        if result.returncode not in allowed:
            sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}")
        with open(f"{self.folder}/{verb}.json", encoding="utf-8") as file:
            return result, json.load(file)


def by_package(document):
    return {finding["package"].rsplit("/", 1)[1]: finding for finding in document["findings"]}


def functions_of(finding):
    """Functions on the stacks of the causes; what the evidence names for code that changed."""
    names = set()
    for cause in finding["causes"]:
        names |= {frame["function"].rsplit("::", 1)[-1] for frame in cause["stack"]
                  if frame["function"]}
        for line in cause["evidence"]:
            names |= set(line.replace(",", " ").replace(":", " ").split())
    return names


def check(name, finding):
    """The row of the table, and whether it is as it should be."""
    _, verdict, kind, function = FAULTS[name]
    if not finding:
        return ("-", "-", "-"), False
    kinds = [cause["kind"] for cause in finding["causes"]]
    on_stack = function in functions_of(finding)
    row = (finding["verdict"], kinds[0] if kinds else "-", function if on_stack else "-")
    return row, finding["verdict"] == verdict and kinds[:1] == [kind] and on_stack


def make_small_project(folder, build, class_name):
    """One fault and its twin, alone."""
    write(f"{folder}/cook.ini", config(1))
    asset(folder, "../Sources/Number", "Source", Number=5)
    for name, clean in (("Fault", False), ("Twin", True)):
        asset(folder, name, class_name, Clean=clean, Other={"$ref": "/Sources/Number.S"})
    os.makedirs(f"{folder}/lib")
    shutil.copy(f"{build}/libcatalogue_third_1.so", f"{folder}/lib/libthird.so")
    shutil.copy(f"{build}/catalogue_before.so", f"{folder}/catalogue.so")


def check_harvest(bin_folder, build, folder):
    """A fault that the cook itself finds."""
    make_small_project(folder, build, "MissingHarvest")
    result, document = Studio(bin_folder, folder).run("full", allowed=(3,))
    failed = [p["name"] for p in document["packages"] if p["result"] == "failed"]
    named = "harvest" in result.stderr + result.stdout and "Late" in result.stderr + result.stdout
    row = ("failed" if failed else "-", "missing harvest" if named else "-",
           "Late" if named else "-")
    return row, failed == ["/Game/Fault"] and named


def check_machine_zone(bin_folder, build, folder, machine):
    """Where no variable names the time zone, the machine's own counts."""
    make_small_project(folder, build, "TimeZone")
    studio = Studio(bin_folder, folder, machine, zone=False)
    studio.run("full")
    studio.level = 2
    found = by_package(studio.run("incremental-validate")[1])
    row, right = check("MachineZone", found.get("Fault"))
    return row, right and "Twin" not in found


def check_dying_library(bin_folder, build, folder):
    """The old library cannot be loaded any more: nothing is proved, and the validation goes on."""
    make_small_project(folder, build, "ThirdParty")
    studio = Studio(bin_folder, folder)
    studio.run("full")
    replace(f"{build}/libcatalogue_third_2.so", f"{folder}/lib/libthird.so")
    os.environ["CATALOGUE_THIRD_DIES"] = "1"
    finding = by_package(studio.run("incremental-validate")[1]).get("Fault")
    del os.environ["CATALOGUE_THIRD_DIES"]
    wanted = "no recook proves it: no worker starts with the old library"
    right = (finding and finding["verdict"] == "false_skip" and
             wanted in finding["causes"][0]["evidence"])
    return [] if right else [f"a library that dies: {finding}"]


def check_touchy_plugin(bin_folder, build, folder):
    """No worker starts under one perturbation: it is left out, and the others tell."""
    make_small_project(folder, build, "Clock")
    studio = Studio(bin_folder, folder)
    os.environ["CATALOGUE_TOUCHY"] = "1"
    studio.run("full")
    result, document = studio.run("incremental-validate")
    del os.environ["CATALOGUE_TOUCHY"]
    finding = by_package(document).get("Fault")
    right = (finding and finding["causes"][0]["kind"] == "time" and
             'no worker starts under "environment"' in result.stderr)
    return [] if right else [f"a touchy plugin: {finding} {result.stderr}"]


def check_evidence(validated):
    """A library that changed is proved by the old one, and what changed in it is named; a file that is
    read at plugin load is no cause of what another package left; what cannot be seen is said."""
    found = by_package(validated)
    lines = found["ThirdParty"]["causes"][0]["evidence"]
    wrong = [f"ThirdParty is without '{line}': {lines}" for line in
             ("recooked with the old library, S:Value is as it was kept",
              "changed in it: third_number") if line not in lines]
    lines = found["Ticks"]["causes"][0]["evidence"]
    if not any("rdtsc" in line for line in lines):
        wrong.append(f"Ticks: what is not seen is not said: {lines}")
    for name in SETTERS:
        causes = [cause["kind"] for cause in found.get(name, {"causes": []})["causes"]]
        if causes and causes[0] != "left_state":
            wrong.append(f"{name}, a false skip as well: {causes}")
    return wrong


def depends_on_the_run(package):
    """What another package left behind, and the like, may come out either way in any one cook."""
    fault = FAULTS.get(package.rsplit("/", 1)[1].removesuffix("Again"))
    return bool(fault) and fault[0] == DETERMINISM


def disagreements(validated, compared):
    """A full cook beside the incremental one differs in every false skip, and in nothing that was
    found sound."""
    modified = {package["name"] for package in compared["packages"]
                if package["change"] == "modified"}
    verdicts = {f["package"]: f["verdict"] for f in validated["findings"]}
    skipped = {name for name, verdict in verdicts.items() if verdict == "false_skip"}
    lines = [f"{name} is a false skip, and equal in the comparison"
             for name in skipped - modified if not depends_on_the_run(name)]
    lines += [f"{name} differs in the comparison, and was validated"
              for name in modified - set(verdicts) if not depends_on_the_run(name)]
    print(f"compared with a full cook: {len(skipped & modified)} of {len(skipped)} false skips differ")
    return sorted(lines)


def print_table(rows):
    print(f"{'fault':<20} {'found by':<12} {'verdict':<16} {'cause':<22} function")
    for name, (row, right) in rows.items():
        print(f"{name:<20} {FAULTS[name][0]:<12} {row[0]:<16} {row[1]:<22} {row[2]}"
              f"{'' if right else '   WRONG, expected ' + ' '.join(FAULTS[name][1:])}")


def main():
    bin_folder, build = (os.path.realpath(a) for a in sys.argv[1:3])
    folder = sys.argv[4] if sys.argv[3:4] == ["--keep"] else tempfile.mkdtemp()
    folder = os.path.realpath(folder)
    machine = Machine(f"{folder}/machine")
    if machine.possible():
        FAULTS.update(ELSEWHERE)
    else:
        machine = None
        print("no cook of another machine: namespaces cannot be made here")
    make_project(f"{folder}/project", build)
    studio = Studio(bin_folder, f"{folder}/project", machine)
    studio.run("full")
    change_all(studio.folder, build)
    studio.level = 2
    studio.run("incremental")
    text, validated = studio.run("incremental-validate")
    determined = studio.run("determinism")[1]
    compared = studio.run("incremental-compare", "--limit", "0")[1]
    found = {VALIDATE: by_package(validated), DETERMINISM: by_package(determined)}
    rows = {name: check(name, found[fault[0]].get(name) or found[fault[0]].get(name + "Again"))
            for name, fault in FAULTS.items() if fault[0] != COOK}
    rows["MissingHarvest"] = check_harvest(bin_folder, build, f"{folder}/harvest")
    if machine and machine.zone:
        FAULTS["MachineZone"] = MACHINE_ZONE
        rows["MachineZone"] = check_machine_zone(bin_folder, build, f"{folder}/zone", machine)
    print_table(rows)
    twins = [f"{name} was reported by {where}: {finding['verdict']} "
             f"{[c['kind'] for c in finding['causes']]}"
             for where in found for name, finding in found[where].items()
             if name.endswith("Twin") or name in ("Number", "CountedNew")]
    for line in twins:
        print(f"CLEAN TWIN {line}")
    unlike = disagreements(validated, compared) + check_evidence(validated)
    unlike += check_dying_library(bin_folder, build, f"{folder}/dying")
    unlike += check_touchy_plugin(bin_folder, build, f"{folder}/touchy")
    for line in unlike:
        print(f"WRONG {line}")
    wrong = sum(not right for _, right in rows.values()) + len(twins) + len(unlike)
    print(f"{len(rows)} faults with their twins, {wrong} wrong")
    if wrong:
        print(text.stdout[-20000:])
    if sys.argv[3:4] != ["--keep"]:
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
