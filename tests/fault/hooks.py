#!/usr/bin/env python3
"""Class code that crashes, hangs, exits or lies fails its own package and nothing else.

    hooks.py BIN PLUGIN_FOLDER SOURCE_FOLDER

Each fault of plugin/fault.c has a package; beside them lie packages that must cook. Where there is
a callstack, it must name the function and the line that is marked "here: <fault>" in the source.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import content  # noqa: E402

BIN, PLUGINS, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])

# fault: how its message begins, and the function it must name
CRASHES = {
    "CrashPostLoad": ("crashed: Segmentation fault", "fault_crash_post_load"),
    "CrashPreSave": ("crashed: Segmentation fault", "fault_crash_pre_save"),
    "CrashSerialize": ("crashed: Segmentation fault", "fault_crash_serialize"),
    "CrashAsync": ("crashed: Segmentation fault", "fault_crash_async"),
    "CrashClear": ("crashed: Segmentation fault", "fault_crash_clear"),
    "Divide": ("crashed: Floating point exception", "fault_divide"),
    "WildCall": ("crashed: Segmentation fault", "fault_wild_call"),
    "Overflow": ("crashed: Segmentation fault", "fault_overflow"),
    "Abort": ("crashed: Aborted", "fault_abort"),
    "Hang": ("did not return within 1 s and was ended; it was", "fault_hang"),
    "HangAsync": ("did not return within 1 s and was ended; it was", "fault_hang_async"),
}
OTHERS = {
    "Exit": "its worker exited with status 3",
    "Kill": "its worker was killed from outside, as the system does when memory is short",
    "Close": "its worker closed its connection and was ended",
    "Fail": "O: pre_save failed: the operation failed",
    "Error": "a class hook says that it cannot",
    "Huge": "O: pre_save failed: out of memory",
    "Unharvested": "O:Name: 'written but not harvested' was written but not harvested",
}
SOUND = {"None", "Print"}


def marks():
    """The line of each mark in the plugin's source."""
    lines = {}
    with open(os.path.join(SOURCE, "tests/fault/plugin/fault.c"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.search(r"here: ([\w ]+?) \*/", line)
            if found:
                lines[found.group(1)] = number
    return lines


def check(condition, what, messages=""):
    if not condition:
        sys.exit(f"hooks: {what}\n{messages}")


def make_project(folder, plugin):
    os.makedirs(os.path.join(folder, "Content"))
    shutil.copy(os.path.join(PLUGINS, plugin), folder)
    with open(os.path.join(folder, "cook.ini"), "w", encoding="utf-8") as ini:
        ini.write("[Project]\nName=Faults\n+ContentRoot=/Game=Content\n"
                  f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\nPackageTimeoutSeconds=1\n")


def faulty(folder, fault):
    content.write(os.path.join(folder, "Content", fault + ".asset"), json.dumps({"objects": [{
        "name": "O", "class": "/Script/Fault.Faulty", "properties": {"Fault": fault}}]}).encode())


def cook(folder, *arguments, **environment):
    result = subprocess.run([os.path.join(BIN, "cook"), *arguments, "-C", folder, "--json", "-"],
                            capture_output=True, text=True, check=False, timeout=120,
                            env={**os.environ, **environment})
    return result.returncode, result.stdout, result.stderr


def messages_of(errors):
    """Package name to its message, which may have lines of a callstack."""
    found = {}
    for line in errors.splitlines():
        head = re.match(r"(error|warning): (/Game/\S+): (.*)", line)
        if head:
            package = head.group(2)
            found.setdefault(package, []).append(head.group(3))
        elif line.startswith("    at ") and found:
            found[package].append(line.strip())
    return found


def check_messages(found, errors):
    lines = marks()
    for fault, (head, function) in CRASHES.items():
        message = found.get("/Game/" + fault, [""])
        check(message[0] == head, f"{fault}: message is {message[0]!r}", errors)
        place = rf"at {function} \(tests/fault/plugin/fault\.c:(\d+)\)"
        numbers = [int(m.group(1)) for m in map(lambda text: re.match(place, text), message) if m]
        # A loop may be caught at its head, a line before.
        check({lines[fault], lines[fault] - 1} & set(numbers), f"{fault}: {place} at line {lines[fault]} is not named", errors)
        check(not any("cook/worker/" in text for text in message), f"{fault}: frames of ours", errors)
    for fault, text in OTHERS.items():
        check(found.get("/Game/" + fault) == [text], f"{fault}: {found.get('/Game/' + fault)}", errors)
    for name, head in (("Crash.boom", "in its reader: crashed: Segmentation fault"),
                       ("Hang.boom", "in its reader: did not return within 1 s and was ended; it was")):
        message = found.get("/Game/" + name, [""])
        check(message[0] == f"Content/{name}: {head}", f"{name}: {message[0]!r}", errors)
        check(message[1].startswith("at scan_boom (tests/fault/plugin/fault.c:"), name, errors)


def test_hooks(folder):
    make_project(folder, "fault.so")
    for fault in [*CRASHES, *OTHERS, *SOUND]:
        faulty(folder, fault)
    tables = [f"Table{i:02}" for i in range(20)]
    for i, name in enumerate(tables):
        content.write(os.path.join(folder, "Content", name + ".asset"), content.table(5, i))
    for name, text in (("Fine", b"fine"), ("Crash", b"crash"), ("Hang", b"hang")):
        content.write(os.path.join(folder, "Content", name + ".boom"), text)
    failing = {f"/Game/{fault}" for fault in [*CRASHES, *OTHERS]} | {"/Game/Crash.boom",
                                                                    "/Game/Hang.boom"}
    for verb in ("full", "incremental"):
        status, out, errors = cook(folder, verb)
        check(status == 3, f"cook {verb}: exit status {status}", errors)
        document = json.loads(out)  # whatever a hook prints, this is only the document
        results = {package["name"]: package["result"] for package in document["packages"]}
        failed = {name for name, result in results.items() if result == "failed"}
        check(failed == failing, f"cook {verb}: failed wrongly {failed ^ failing}", errors)
        check(len(results) == len(failing) + len(SOUND) + len(tables) + 1, "packages", errors)
        check("a class hook prints to standard output" in errors, "printed text is lost", errors)
        check_messages(messages_of(errors), errors)
    # Once the faults are gone all is well again, and the workers' deaths left nothing behind.
    for fault in [*CRASHES, *OTHERS]:
        os.remove(os.path.join(folder, "Content", fault + ".asset"))
    for name in ("Crash", "Hang"):
        content.write(os.path.join(folder, "Content", name + ".boom"), b"fine")
    status, out, errors = cook(folder, "incremental")
    summary = json.loads(out)["summary"]
    check(status == 0 and summary["failed"] == 0 and summary["new"] == 2, "after the repair", errors)


def test_killed_scan(folder):
    """What befell a worker at a scan says nothing of the file: the next cook scans it again."""
    make_project(folder, "fault.so")
    content.write(os.path.join(folder, "Content/Kill.boom"), b"kill")
    for verb in ("full", "incremental"):
        status, _, errors = cook(folder, verb, FAULT_KILL_SCAN="1")
        check(status == 3, f"cook {verb}: exit status {status}", errors)
        check(messages_of(errors) == {"/Game/Kill.boom": [
            "Content/Kill.boom: in its reader: " + OTHERS["Kill"]]}, "a killed scan", errors)
    for result in ("new", "recooked"):  # an opted-out class
        status, out, errors = cook(folder, "incremental")
        check(status == 0 and json.loads(out)["summary"][result] == 1,
              f"after a killed scan: not {result}", out + errors)


def test_start(folder):
    """A plugin that goes wrong while it is loaded: one message, and nothing is cooked."""
    for name, expected_status, pattern in (
            ("start_crash_pre_save", 4, r"loading the plugins: crashed: Segmentation"
             r" fault at fault_crash_pre_save \(tests/fault/plugin/fault\.c:\d+\) at cook_plugin_main"),
            ("start_hang", 4, r"loading the plugins: did not return within 1 s and "
             r"was ended; it was at fault_hang \(tests/fault/plugin/fault\.c:\d+\)"),
            ("start_exit", 4, r"loading the plugins: its worker exited with "
             r"status 5"),
            ("start_fail", 2, r"plugin fault_start_fail\.so: its cook_plugin_main failed: "
             r"the operation failed")):
        project = os.path.join(folder, name)
        make_project(project, f"fault_{name}.so")
        content.write(os.path.join(project, "Content/Table.asset"), content.table(3))
        status, out, errors = cook(project, "full")
        check(status == expected_status, f"{name}: exit status {status}", errors)
        check(re.match("cook: " + pattern, errors) and errors.count("\n") == 1, name, errors)
        check(out == "", f"{name}: a document was printed", out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_hooks(os.path.join(folder, "hooks"))
        test_killed_scan(os.path.join(folder, "killed"))
        test_start(folder)
    print("hooks: all faults are reported, and no other package fails")


if __name__ == "__main__":
    main()
