#!/usr/bin/env python3
"""What class code reads undeclared, in each way it can: seen with its package and function.

    trace.py BIN_FOLDER PLUGIN_FOLDER
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

FILE = "Content/Data/{}.txt"

# way: the inputs that must be seen, as (kind, key, function); {} is the way's own file
WAYS = {
    "read_open": [("file", FILE, "read_open")],
    "read_openat": [("file", FILE, "read_openat")],
    "read_raw": [("file", FILE, "read_raw")],
    "read_syscall": [("file", FILE, "read_syscall")],
    "read_fopen": [("file", FILE, "read_fopen")],
    "read_mmap": [("file", FILE, "read_mmap")],
    "read_alloca": [("file", FILE, "read_alloca")],
    "read_blocked": [("file", FILE, "read_blocked")],
    "read_absent": [("file", "Content/Data/nowhere.txt", "read_absent")],
    "read_written": [],
    "list_opendir": [("directory", "Content/Lists/list_opendir", "list_opendir")],
    "list_raw": [("directory", "Content/Lists/list_raw", "list_raw")],
    "ask_stat": [("stat", FILE, "ask_stat")],
    "ask_access": [("stat", FILE, "ask_access")],
    "ask_statx": [("stat", FILE, "ask_statx")],
    "ask_readlink": [("link", "Content/Data/ask_readlink.link", "ask_readlink")],
    "read_thread": [("file", FILE, "read_open")],
    "read_thread_raw": [("file", FILE, "read_raw")],
    "read_helper": [("file", FILE, "read_open")],
    "read_coroutine": [("file", FILE, "read_open"), ("file", FILE, "read_raw")],
    "load_open": [("file", FILE, "read_open")],
    "start_fork": [("file", FILE, "start_fork")],
    "start_spawn": [("file", FILE, "start_spawn"), ("process", "cat", "start_spawn")],
    "start_system": [("file", FILE, "start_system"), ("process", "cat", "start_system"),
                     ("process", "sh", "start_system")],
    "ask_getenv": [("environment", "COOK_TRACE_TEST", "ask_getenv")],
    "ask_clock_gettime": [("clock", "wall clock", "ask_clock_gettime")],
    "ask_clock_raw": [("clock", "wall clock", "ask_clock_raw")],
    "ask_gettimeofday": [("clock", "wall clock", "ask_gettimeofday")],
    "ask_time": [("clock", "wall clock", "ask_time")],
    "ask_timespec_get": [("clock", "wall clock", "ask_timespec_get")],
    "ask_getrandom": [("random", "getrandom", "ask_getrandom")],
    "ask_arc4random": [("random", "getrandom", "ask_arc4random")],
    "ask_urandom": [("random", "/dev/urandom", "ask_urandom")],
    "ask_uname": [("host", "host name", "ask_uname")],
    "ask_gethostname": [("host", "host name", "ask_gethostname")],
    "ask_sysinfo": [("host", "memory and load", "ask_sysinfo")],
    "ask_affinity": [("host", "processor count", "ask_affinity")],
    "ask_nprocs": [("host", "processor count", "ask_nprocs")],
    "ask_getpid": [("host", "process id", "ask_getpid")],
    "ask_io_uring": [],
    "read_nothing": [],
}
# What a machine without system call notification still sees.
WRAPPED = ["read_open", "read_openat", "read_fopen", "read_mmap", "read_absent", "list_opendir",
           "ask_stat", "ask_access", "ask_readlink", "read_thread", "read_helper", "load_open",
           "ask_getenv", "ask_clock_gettime", "ask_gettimeofday", "ask_time", "ask_getrandom",
           "ask_urandom"]
PATHS = {"read_absent": "Content/Data/nowhere.txt", "ask_getenv": "COOK_TRACE_TEST",
         "ask_readlink": "Content/Data/ask_readlink.link",
         "list_opendir": "Content/Lists/list_opendir", "list_raw": "Content/Lists/list_raw",
         "read_written": "Content/Data/written.tmp"}


def path_of(way):
    return PATHS.get(way, FILE.format(way))


def make_project(folder, plugin):
    os.makedirs(f"{folder}/Content/Data")
    for way in WAYS:
        with open(f"{folder}/Content/Data/{way}.txt", "w", encoding="utf-8") as file:
            file.write(way)
        for clean in (False, True):
            properties = {"Way": way, "Path": path_of(way), "Clean": clean}
            objects = [{"name": "S", "class": "/Script/Traced.Subject", "properties": properties}]
            name = way + ("Twin" if clean else "")
            with open(f"{folder}/Content/{name}.asset", "w", encoding="utf-8") as file:
                json.dump({"objects": objects}, file)
    with open(f"{folder}/Content/Data/at_load.txt", "w", encoding="utf-8") as file:
        file.write("at load")
    for way in ("list_opendir", "list_raw"):
        os.makedirs(f"{folder}/Content/Lists/{way}")
        with open(f"{folder}/Content/Lists/{way}/a.txt", "w", encoding="utf-8"):
            pass
    os.symlink("ask_readlink.txt", f"{folder}/Content/Data/ask_readlink.link")
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Traced\n+ContentRoot=/Game=Content\n"
                   f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\n[Incremental]\n"
                   "+ClassScriptPackageAllowList=<ProjectRoot>\n")


def cook(bin_folder, folder, verb, *arguments, prefix=(), expect=(0, 1), user=None):
    path = f"{folder}/../{os.path.basename(folder)}.json"
    result = subprocess.run([*prefix, f"{bin_folder}/cook", verb, "-C", folder, "--json", path,
                             *arguments], text=True, capture_output=True, check=False,
                            cwd="/",
                            env={**os.environ, "COOK_TRACE_TEST": "set"}, **(user or {}))
    if result.returncode not in expect:
        sys.exit(f"cook {verb}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    with open(path, encoding="utf-8") as file:
        return result, json.load(file)


def seen_of(document, package):
    return [i for i in document["inputs"] if package in i["packages"]]


def matches(found, kind, key, function):
    """The function may be the innermost frame or, for what it started, further out."""
    names = [f["function"] for f in found["stack"]]
    same_key = found["key"] == key or (kind == "process" and os.path.basename(found["key"]) == key)
    return found["kind"] == kind and same_key and function in names


def check_seen(document, ways, wrong):
    for way in ways:
        found = seen_of(document, f"/Game/{way}")
        for kind, key, function in WAYS[way]:
            key = key.format(way)
            if not any(matches(f, kind, key, function) for f in found):
                wrong.append(f"{way}: {kind} {key} by {function} not among "
                             f"{[(f['kind'], f['key'], f['function']) for f in found]}")


def check_nothing_else(document, wrong):
    for way, expected in WAYS.items():
        keys = {key.format(way) for _, key, _ in expected}
        if way == "start_spawn":
            keys |= {"/usr/bin/cat", "/bin/cat"}
        if way == "start_system":
            keys |= {"/usr/bin/cat", "/bin/cat", "/bin/sh", "/usr/bin/sh"}
        for found in seen_of(document, f"/Game/{way}"):
            if found["program"]:
                continue  # what other programs do at their start is theirs
            if found["key"] not in keys and os.path.basename(found["key"]) not in keys:
                wrong.append(f"{way}: reports {found['kind']} {found['key']} by "
                             f"{found['function']} too")
        twins = seen_of(document, f"/Game/{way}Twin")
        if twins:
            wrong.append(f"{way}Twin: reports {[(t['kind'], t['key']) for t in twins]}")
    outside = [i for i in document["inputs"] if i["outside_packages"]]
    if [(i["kind"], i["key"], i["function"]) for i in outside] != [
            ("file", "Content/Data/at_load.txt", "read_at_load")]:
        wrong.append(f"plugin load: {[(i['kind'], i['key'], i['function']) for i in outside]}")


def complete(bin_folder, folder, wrong):
    result, document = cook(bin_folder, folder, "full", "--lint-inputs")
    if not document["tracing"]["complete"]:
        print(f"skipped: {document['tracing']['partial']}")
        sys.exit(77)
    if result.returncode != 1:
        wrong.append(f"exit status {result.returncode} with findings")
    check_seen(document, WAYS, wrong)
    check_nothing_else(document, wrong)
    return document


def as_text(bin_folder, folder, wrong):
    result = subprocess.run([f"{bin_folder}/cook", "full", "-C", folder, "--lint-inputs"],
                            text=True, capture_output=True, check=False)
    line = ("undeclared file Content/Data/read_fopen.txt, read by read_fopen "
            "(tests/integration/trace/plugin.c:")
    if not any(l.startswith(line) and "for /Game/read_fopen; will become a false skip when it "
               "changes; read it through cook_read_file()" in l
               for l in result.stdout.splitlines()):
        wrong.append(f"text:\n{result.stdout}")


def without_kernel(bin_folder, plugin_folder, folder, wrong):
    result, document = cook(bin_folder, folder, "full", "--lint-inputs",
                            prefix=[f"{plugin_folder}/refuse_seccomp"])
    if "only calls through the C library are seen" not in (document["tracing"]["partial"] or ""):
        wrong.append(f"partial: {document['tracing']}")
    if "tracing is partial" not in result.stderr:
        wrong.append(f"partial: not told:\n{result.stderr}")
    check_seen(document, WRAPPED, wrong)
    for way in WAYS:
        if seen_of(document, f"/Game/{way}Twin"):
            wrong.append(f"{way}Twin: reported without the kernel")


def same_bytes(bin_folder, folder, wrong):
    """A traced cook makes the same bytes as a plain one, and a plain one tells nothing."""
    _, plain = cook(bin_folder, folder, "full")
    _, traced = cook(bin_folder, folder, "full", "--lint-inputs")
    if "inputs" in plain:
        wrong.append("a plain cook has a list of inputs")
    keys = [{p["name"]: (p["key"], p["bytes"]) for p in d["packages"]} for d in (plain, traced)]
    if keys[0] != keys[1]:
        wrong.append("a traced cook has other results")


def tracers_of(cook_pid):
    found = []
    try:
        with open(f"/proc/{cook_pid}/task/{cook_pid}/children", encoding="ascii") as file:
            pids = [int(pid) for pid in file.read().split()]
        for pid in pids:
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                if file.read().strip() == "cook-tracer":
                    found.append(pid)
    except OSError:
        pass
    return found


def killed_supervisor(bin_folder, plugin, folder, wrong):
    """A dead supervisor must not look like files that are not there."""
    os.makedirs(f"{folder}/Content/Data")
    with open(f"{folder}/Content/Data/there.txt", "w", encoding="utf-8") as file:
        file.write("there")
    objects = [{"name": "S", "class": "/Script/Traced.Subject",
                "properties": {"Way": "insist", "Path": "Content/Data/there.txt"}}]
    for number in range(150):
        with open(f"{folder}/Content/P{number}.asset", "w", encoding="utf-8") as file:
            json.dump({"objects": objects}, file)
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Killed\n+ContentRoot=/Game=Content\n"
                   f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\n")
    process = subprocess.Popen([f"{bin_folder}/cook-full", "-C", folder, "--lint-inputs",
                                "--progress", "never"], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    kills = 0
    while process.poll() is None and kills < 8:
        time.sleep(0.1)
        for pid in tracers_of(process.pid)[:1]:
            os.kill(pid, signal.SIGKILL)
            kills += 1
    out, err = process.communicate(timeout=120)
    if not kills:
        wrong.append("no supervisor was there to kill")
    if "cannot be opened" in err + out:
        wrong.append(f"a dead supervisor looked like absent files:\n{err}")
    for line in err.splitlines():  # an idle worker's death costs no package
        if line.startswith("error:") and "(or the process that traces it) was killed" not in line:
            wrong.append(f"{kills} supervisors killed, and it is not told: {line}")


def doctor(bin_folder, plugin_folder, folder, wrong):
    def checks(expect, *, prefix=()):
        _, document = cook(bin_folder, folder, "doctor", prefix=prefix, expect=(expect,))
        return {check["name"]: check for check in document["checks"]}

    plugin = f"plugin {plugin_folder}/traced.so"
    well = checks(0)
    if not all(well[name]["ok"] for name in ("worker", "tracing", "open files", plugin)):
        wrong.append(f"doctor: {well}")
    refused = checks(1, prefix=[f"{plugin_folder}/refuse_seccomp"])
    if refused["tracing"]["ok"] or "seccomp" not in refused["tracing"]["fix"]:
        wrong.append(f"doctor: without the kernel {refused}")
    stripped = f"{folder}/stripped.so"
    subprocess.run(["strip", "--strip-debug", "-o", stripped, f"{plugin_folder}/traced.so"],
                   check=True)
    with open(f"{folder}/cook.ini", "a", encoding="utf-8") as file:
        file.write(f"[Project]\n+Plugin={stripped}\n")
    bare = checks(1)[f"plugin {stripped}"]
    if bare["ok"] or "debug information" not in bare["text"] or "-g" not in bare["fix"]:
        wrong.append(f"doctor: of a stripped plugin {bare}")


def crash_and_hang(bin_folder, plugin, folder, wrong):
    """The supervisor between director and worker hides neither a crash nor a hang."""
    os.makedirs(f"{folder}/Content")
    for way in ("crash", "hang", "read_nothing"):
        objects = [{"name": "S", "class": "/Script/Traced.Subject", "properties": {"Way": way}}]
        with open(f"{folder}/Content/{way}.asset", "w", encoding="utf-8") as file:
            json.dump({"objects": objects}, file)
    with open(f"{folder}/cook.ini", "w", encoding="utf-8") as file:
        file.write("[Project]\nName=Ends\n+ContentRoot=/Game=Content\n"
                   f"+Plugin={plugin}\n[Cook]\n+AlwaysCook=/Game/*\nPackageTimeoutSeconds=1\n")
    result, document = cook(bin_folder, folder, "full", "--lint-inputs", expect=(3,))
    if document["summary"]["cooked"] != 1 or document["summary"]["failed"] != 2:
        wrong.append(f"crash and hang: {document['summary']}")
    for text in ("/Game/crash: crashed: Aborted", "at crash_here (",
                 "/Game/hang: did not return within 1 s", "at hang_here ("):
        if text not in result.stderr:
            wrong.append(f"crash and hang: no '{text}' in\n{result.stderr}")


EXCEPTIONS = """[Content/Data/at_load.txt]
Reason=read once, goes with the old importer
Owner=tools-team
Expires=2999-12-31
[Content/Data/read_fopen.txt]
Kind=file
Reason=was to be mended
Owner=tools-team
Expires=2020-01-01
[Content/Nothing/*]
Reason=nobody knows
Owner=nobody
Expires=2999-12-31
"""


def lines_of(result, begin):
    return [line for line in result.stdout.splitlines() if line.startswith(begin)]


def check_exceptions(bin_folder, folder, wrong):
    os.makedirs(f"{folder}/Config")
    with open(f"{folder}/Config/InputExceptions.ini", "w", encoding="utf-8") as file:
        file.write(EXCEPTIONS)
    result, document = cook(bin_folder, folder, "full", "--lint-inputs")
    states = {e["pattern"]: e["state"] for e in document["input_exceptions"]}
    if states != {"Content/Data/at_load.txt": "used", "Content/Data/read_fopen.txt": "expired",
                  "Content/Nothing/*": "unused"}:
        wrong.append(f"exceptions: {states}")
    excepted = {i["key"] for i in document["inputs"] if i["exception"]}
    if excepted != {"Content/Data/at_load.txt"}:
        wrong.append(f"exceptions: cover {excepted}")
    if lines_of(result, "undeclared file Content/Data/at_load.txt") or \
            not lines_of(result, "undeclared file Content/Data/read_fopen.txt") or \
            not lines_of(result, "exception [Content/Data/read_fopen.txt] expired on 2020-01-01") or \
            not lines_of(result, "exception [Content/Nothing/*] matches nothing any more"):
        wrong.append(f"exceptions: text\n{result.stdout}")
    with open(f"{folder}/Config/InputExceptions.ini", "a", encoding="utf-8") as file:
        file.write("[x]\nReason=r\nOwner=o\nExpires=some day\n")
    result = subprocess.run([f"{bin_folder}/cook", "full", "-C", folder, "--lint-inputs"],
                            text=True, capture_output=True, check=False)
    if result.returncode != 2 or "Config/InputExceptions.ini:" not in result.stderr:
        wrong.append(f"exceptions: malformed gives {result.returncode} {result.stderr}")
    os.remove(f"{folder}/Config/InputExceptions.ini")


def recorded(folder):
    with sqlite3.connect(f"{folder}/Saved/History/history.db") as history:
        return {row[0]: row[1] for row in history.execute(
            "SELECT key, count(*) FROM inputs WHERE package = '/Game/read_fopen' GROUP BY key")}


def check_validation(bin_folder, folder, wrong):
    """Traced without being asked; values are kept, also those of cooks that are always traced."""
    key = "Content/Data/read_fopen.txt"
    cook(bin_folder, folder, "full", "--ini", "Trace.Always=1")
    if recorded(folder) != {key: 1}:
        wrong.append(f"[Trace] Always: recorded {recorded(folder)}")
    with open(f"{folder}/{key}", "w", encoding="utf-8") as file:
        file.write("changed")
    for arguments, status, has_inputs in (([], 0, True), (["--no-trace"], 0, False),
                                          (["--lint-inputs"], 1, True)):
        result, document = cook(bin_folder, folder, "incremental-validate",
                                "--package", "/Game/read_fopen", *arguments, expect=(status,))
        if ("inputs" in document) != has_inputs:
            wrong.append(f"validate {arguments}: inputs {not has_inputs}")
        if not arguments and "2 undeclared inputs; list them with --lint-inputs" not in result.stdout:
            wrong.append(f"validate: does not tell of undeclared inputs\n{result.stdout}")
    if recorded(folder) != {key: 2}:
        wrong.append(f"validate: recorded {recorded(folder)}")


NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def as_ordinary_user(bin_folder, plugin, wrong):
    """The same without any privilege; where the build's folder cannot be entered by others, not."""
    if os.geteuid() != 0:
        return
    try:
        subprocess.run([f"{bin_folder}/cook", "--version"], capture_output=True, check=True, cwd="/",
                       **NOBODY)
    except (PermissionError, subprocess.CalledProcessError):
        print("as an ordinary user: not tried, the build's folder is closed to others")
        return
    with tempfile.TemporaryDirectory(prefix="cook-trace-") as work:
        make_project(f"{work}/user", plugin)
        subprocess.run(["chown", "-hR", "65534:65534", work], check=True)
        _, document = cook(bin_folder, f"{work}/user", "full", "--lint-inputs", user=NOBODY)
        if not document["tracing"]["complete"]:
            wrong.append(f"as an ordinary user: {document['tracing']}")
        check_seen(document, WAYS, wrong)
        check_nothing_else(document, wrong)


def main():
    bin_folder, plugin_folder = sys.argv[1], sys.argv[2]
    work = tempfile.mkdtemp(prefix="cook-trace-")
    folder = f"{work}/project"
    make_project(folder, f"{plugin_folder}/traced.so")
    wrong = []
    complete(bin_folder, folder, wrong)
    as_text(bin_folder, folder, wrong)
    without_kernel(bin_folder, plugin_folder, folder, wrong)
    same_bytes(bin_folder, folder, wrong)
    check_exceptions(bin_folder, folder, wrong)
    check_validation(bin_folder, folder, wrong)
    doctor(bin_folder, plugin_folder, folder, wrong)
    crash_and_hang(bin_folder, f"{plugin_folder}/traced.so", f"{work}/ends", wrong)
    killed_supervisor(bin_folder, f"{plugin_folder}/traced.so", f"{work}/killed", wrong)
    as_ordinary_user(bin_folder, f"{plugin_folder}/traced.so", wrong)
    if wrong:
        sys.exit(f"{work}\n" + "\n".join(wrong))
    shutil.rmtree(work)
    print(f"{len(WAYS)} ways seen, no twin reported")


main()
