#!/usr/bin/env python3
"""Cook real public content, and replay its history, step by step.

    corpus.py --bin FOLDER --unpacked FOLDER NAME [--every N] [--verbose]

NAME is a folder of the corpus. Its base is cooked: each package that fails must be a file that is
broken by an independent judgement (this script's own reading of PNG, glb and JSON). Cooked again at
once, and again after a touch of all files, everything is skipped. One changed texture recooks that
package and no other. Then each step of the history is applied and cooked incrementally; the content,
the failures and the messages must be those of a fresh full cook (after every N-th step and the last).

The corpus is found by $COOK_CORPUS, or as ../shared/corpus beside this repository, and unpacked
once to --unpacked. Without it the test is skipped (exit status 77).
"""
import argparse
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import content  # noqa: E402


# ---- an independent judgement of files -------------------------------------------------------


def png_fault(data):
    """What is wrong with a PNG file, or None."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return "no PNG signature"
    at, image, header, ended = 8, b"", None, False
    while at + 12 <= len(data) and not ended:
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if at + 12 + size > len(data):
            return f"chunk {kind} is cut short"
        if zlib.crc32(kind + body) != struct.unpack_from(">I", data, at + 8 + size)[0]:
            return f"chunk {kind} has a wrong checksum"
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        image += body if kind == b"IDAT" else b""
        ended = kind == b"IEND"
        at += 12 + size
    if not ended or not header:
        return "no IHDR or no IEND"
    try:
        pixels = zlib.decompress(image)
    except zlib.error as error:
        return str(error)
    width, height, depth, color, _, _, interlaced = header
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(color)
    if not channels or width == 0 or height == 0:
        return "a wrong header"
    if not interlaced and len(pixels) < height * (1 + (width * channels * depth + 7) // 8):
        return "too few pixels"
    return None


def gltf_fault(document, folder, binary):
    """What is wrong with the buffers of a glTF document, or None."""
    sizes = []
    for buffer in document.get("buffers", []):
        uri = buffer.get("uri")
        if uri is None:
            sizes.append(len(binary or b""))
        elif uri.startswith("data:"):
            sizes.append(buffer["byteLength"])
        else:
            path = os.path.join(folder, uri.replace("%20", " "))
            if not os.path.exists(path):
                return f"buffer file {uri} is missing"
            sizes.append(os.path.getsize(path))
        if sizes[-1] < buffer["byteLength"]:
            return "a buffer is cut short"
    for view in document.get("bufferViews", []):
        if view.get("byteOffset", 0) + view["byteLength"] > sizes[view["buffer"]]:
            return "a buffer view is out of its buffer"
    if document["asset"]["version"] != "2.0":
        return "not version 2.0"
    for extension in document.get("extensionsRequired", []):
        if not extension.startswith("KHR_mesh_quant"):
            return f"sound, but it requires {extension}"
    return None


def glb_fault(data, folder):
    if len(data) < 20 or data[:4] != b"glTF":
        return "no glb header"
    _, version, total = struct.unpack_from("<4sII", data)
    size, kind = struct.unpack_from("<I4s", data, 12)
    if version != 2 or total > len(data) or kind != b"JSON" or 20 + size > total:
        return "a wrong glb header"
    document = json.loads(data[20:20 + size])
    at = 20 + size
    binary = None
    if at + 8 <= total:
        size, kind = struct.unpack_from("<I4s", data, at)
        if kind != b"BIN\0" or at + 8 + size > total:
            return "a wrong binary chunk"
        binary = data[at + 8:at + 8 + size]
    return gltf_fault(document, folder, binary)


def file_fault(path):
    """What is wrong with a source file, or None; also None for formats that are not judged here."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        if path.lower().endswith(".png"):
            return png_fault(data)
        if path.lower().endswith(".glb"):
            return glb_fault(data, os.path.dirname(path))
        if path.lower().endswith(".gltf"):
            return gltf_fault(json.loads(data), os.path.dirname(path), None)
    except (ValueError, KeyError, IndexError, struct.error) as error:
        return f"{type(error).__name__}: {error}"
    return None


# ---- the corpus ------------------------------------------------------------------------------


def unpack(folder):
    """The folder of the unpacked corpus, or None where there is none."""
    repository = os.path.dirname(os.path.dirname(HERE))
    source = os.environ.get("COOK_CORPUS", os.path.join(os.path.dirname(repository),
                                                        "shared", "corpus"))
    if not os.path.exists(os.path.join(source, "unpack.sh")):
        return None
    subprocess.run(["sh", os.path.join(source, "unpack.sh"), folder], check=True)
    return folder


def apply_step(step, target):
    """Remove what the step deletes, then copy its files."""
    with open(os.path.join(step, "DELETED"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            path = os.path.join(target, line)
            if os.path.lexists(path):
                os.remove(path)
                remove_empty(os.path.dirname(path), target)
    files = os.path.join(step, "files")
    if os.path.isdir(files):
        shutil.copytree(files, target, dirs_exist_ok=True, symlinks=True,
                        copy_function=shutil.copyfile)


def remove_empty(folder, root):
    while folder != root and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)


# ---- the test --------------------------------------------------------------------------------


class Replay:
    def __init__(self, options, source, folder):
        self.options = options
        self.source = source
        self.command = os.path.join(os.path.abspath(options.bin), "cook")
        self.project = os.path.join(folder, "project")
        self.content = os.path.join(self.project, "Content")
        self.what = "base"
        self.broken = {}

    def fail(self, text, output=""):
        sys.exit(f"corpus: {self.options.name}, {self.what}: {text}\n{output}")

    def say(self, text):
        if self.options.verbose:
            print(text, flush=True)

    def cook(self, verb):
        """The document of a cook, and its messages without the mark of a replay."""
        result = subprocess.run([self.command, verb, "-C", self.project, "--json", "-"],
                                capture_output=True, text=True, check=False, timeout=600)
        if result.returncode not in (0, 3):
            self.fail(f"cook {verb} ends with {result.returncode}", result.stderr)
        document = json.loads(result.stdout)
        messages = [line.replace("[incremental replay] ", "") for line in
                    result.stderr.splitlines() if line.startswith(("error: ", "warning: "))]
        return document, messages

    def list(self):
        return subprocess.run([self.command, "store", "list", "-C", self.project],
                              capture_output=True, text=True, check=True).stdout

    def path_of(self, package):
        """The source file of a package; foreign files keep their extension."""
        path = os.path.join(self.content, package.removeprefix("/Game/"))
        return path if os.path.exists(path) else path + ".asset"

    def judge_failures(self, document, messages):
        for package in document["packages"]:
            if package["result"] != "failed":
                continue
            name = package["name"]
            fault = file_fault(self.path_of(name))
            if not fault:
                own = [line for line in messages if line.startswith(f"error: {name}: ")]
                self.fail(f"{name} fails, but its file seems sound", "\n".join(own))
            self.broken[name] = fault

    def expect(self, document, cooked, what):
        names = sorted(p["name"] for p in document["packages"] if p["result"] in ("new", "recooked"))
        if names != sorted(cooked):
            self.fail(f"{what} cooks {names[:10]} and not {sorted(cooked)[:10]}")

    def base(self):
        shutil.copytree(os.path.join(self.source, "base"), self.content,
                        copy_function=shutil.copyfile)
        with open(os.path.join(self.project, "cook.ini"), "w", encoding="utf-8") as ini:
            ini.write("[Project]\nName=Corpus\n+ContentRoot=/Game=Content\n"
                      "[Cook]\n+AlwaysCook=/Game/*\n")
        started = time.monotonic()
        document, messages = self.cook("full")
        seconds = time.monotonic() - started
        self.judge_failures(document, messages)
        summary = document["summary"]
        self.what = "again"
        self.expect(self.cook("incremental")[0], [], "the next cook")
        for path, _, names in os.walk(self.content):
            for name in names:
                os.utime(os.path.join(path, name))
        self.expect(self.cook("incremental")[0], [], "a cook after a touch")
        print(f"corpus: {self.options.name}: {summary['packages']} packages, "
              f"{summary['failed']} failed, {len(messages)} messages, {seconds:.2f} s")

    def change_texture(self):
        """Only the texture itself: nobody dereferences one."""
        self.what = "a changed texture"
        textures = sorted(glob.glob(self.content + "/**/*.png", recursive=True))
        texture = textures[len(textures) // 2]
        with open(texture, "rb") as file:
            before = file.read()
        content.write(texture, content.png(32, 32, "20c060"))
        package = "/Game/" + os.path.relpath(texture, self.content)
        self.expect(self.cook("incremental")[0], [package], "a cook after it")
        content.write(texture, before)
        self.expect(self.cook("incremental")[0], [package], "a cook after the way back")

    def fresh(self):
        """What a full cook with an empty store gives."""
        saved, aside = os.path.join(self.project, "Saved"), os.path.join(self.project, "..", "aside")
        os.rename(saved, aside)
        document, messages = self.cook("full")
        listing = self.list()
        shutil.rmtree(saved)
        os.rename(aside, saved)
        return document, messages, listing

    def compare(self, document, messages):
        fresh_document, fresh_messages, fresh_list = self.fresh()
        if self.list() != fresh_list:
            ours, theirs = set(self.list().splitlines()), set(fresh_list.splitlines())
            self.fail("the content differs from a fresh full cook's",
                      "\n".join(f"-{line}" for line in sorted(theirs - ours)[:20]) + "\n"
                      + "\n".join(f"+{line}" for line in sorted(ours - theirs)[:20]))
        failed = [{p["name"] for p in d["packages"] if p["result"] == "failed"}
                  for d in (document, fresh_document)]
        if failed[0] != failed[1]:
            self.fail(f"other packages fail than in a fresh full cook: {failed[0] ^ failed[1]}")
        if messages != fresh_messages:
            self.fail("other messages than in a fresh full cook", "\n".join(
                sorted(set(messages) ^ set(fresh_messages))[:20]))

    def history(self):
        steps = sorted(glob.glob(os.path.join(self.source, "history", "[0-9]*")))
        cooked = skipped = compared = 0
        seconds = 0.0
        for number, step in enumerate(steps, 1):
            self.what = "step " + os.path.basename(step)
            apply_step(step, self.content)
            started = time.monotonic()
            document, messages = self.cook("incremental")
            seconds += time.monotonic() - started
            self.judge_failures(document, messages)
            summary = document["summary"]
            cooked += summary["cooked"]
            skipped += summary["skipped"]
            self.say(f"{self.what}: cooked {summary['cooked']}, skipped {summary['skipped']}, "
                     f"failed {summary['failed']}")
            if number % self.options.every == 0 or number == len(steps):
                self.compare(document, messages)
                compared += 1
        if steps:
            print(f"corpus: {self.options.name}: {len(steps)} steps cooked {cooked} and skipped "
                  f"{skipped} in {seconds:.1f} s; {compared} compared with a fresh full cook, "
                  "all equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--unpacked", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("name")
    options = parser.parse_args()
    corpus = unpack(options.unpacked)
    if not corpus:
        print("corpus: skipped: neither $COOK_CORPUS nor ../shared/corpus holds one")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(options, os.path.join(corpus, options.name), folder)
        replay.base()
        replay.change_texture()
        replay.history()
        for name, fault in sorted(replay.broken.items()):
            print(f"corpus: {options.name}: {name} is broken: {fault}")


if __name__ == "__main__":
    main()
