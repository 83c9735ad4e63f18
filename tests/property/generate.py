"""A random project: assets of the test's classes, textures, shaders, notes, config."""
import base64
import json
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from content import triangle  # noqa: E402

from model import COOK, LOADED_REFS, LONER, PROP, Graph, extension, package_name
from world import Inputs

FOLDERS = ("Content/A", "Content/B", "Content/B/Deep", "Content/Lib", "Content/UI",
           "Content/Dev", "Packs/Base")
TARGETS = ("Desktop", "Mobile")
CLASSES = {"Node": 20, "Chain": 18, "Ring": 12, "Saver": 14, "Puller": 6, "Tuned": 7,
           "Filer": 7, "Scout": 14, "Schemed": 4, "Holder": 4, "Extra": 3, "Denied": 3,
           "Picky": 9, "Banker": 7, "Caller": 8}
CONFIGURATIONS = ("client", "server")
KEYS = ("K0", "K1", "K2", "K3")
VARIABLES = ("r.Quality", "r.Shadows")   # console variables
TOKENS = ("Alpha", "Beta")               # of the command line
ENVIRONMENT = ("PROP_ENV", "PROP_LOOK")  # PROP_LOOK is what the function PropLook looks at
LISTED = ("Content/UI", "Content/New", "Data", "Data/deep", "./sub", "Packs/Base")
# Read by Filer, Puller and notes: beside the package, in a folder that may not be there,
# outside of content, and a file that is a package itself.
READ_FILES = ("./plain.txt", "../shared.txt", "./sub/late.txt", "Data/one.txt", "Data/two.txt",
              "Data/deep/er/three.txt", "Content/UI/Icon0.png", "./note.cook")
COOK_INI = """[Project]
Name=Property
+ContentRoot=/Game=Content
+ContentRoot=/Pack=Packs
+Plugin=Plugins/prop.so
[Cook]
+Map=/Game/Maps/M0
+Map=/Game/Maps/M1
+Startup=/Game/Maps/Start
+AlwaysCook=/Game/UI/*
+NeverCook=/Game/Dev/*
[Chunks]
+Rule=/Game/Maps/M1:1:5
[AssetRegistry]
+Tag=BankValue
[Incremental]
+ClassScriptPackageAllowList=/Script/Prop
+ClassDenyList=/Script/Prop.Denied
"""


def number(rng):
    """Six digits, so that another one gives a file of the same size."""
    return rng.randint(100000, 999999)


def dump(document):
    return (json.dumps(document, indent=1) + "\n").encode()


def png(rng, side=4):
    """A picture in stored, not compressed, form: all of one side length have the same size."""
    rows = b"".join(b"\0" + rng.randbytes(side * 4) for _ in range(side))
    out = b"\x89PNG\r\n\x1a\n"
    for name, data in ((b"IHDR", struct.pack(">2I5B", side, side, 8, 6, 0, 0, 0)),
                       (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b"")):
        out += struct.pack(">I", len(data)) + name + data
        out += struct.pack(">I", zlib.crc32(name + data))
    return out


def shader_include(rng, includes):
    lines = [f'#include "{name}"' for name in includes]
    return "\n".join([*lines, f"x = x * 1.5 + {number(rng)}.0;", ""]).encode()


def shader(rng, includes):
    lines = [f'#include "{name}"' for name in includes]
    return "\n".join(["#version 450", "layout(location = 0) out vec4 o;", "void main() {",
                      "float x = 1.0;", *lines,
                      "#ifdef PROP_D", "x += float(PROP_D);", "#endif",
                      f"o = vec4(x + {number(rng)}.0);", "}", ""]).encode()


def note(rng, include):
    text = f"value {number(rng)}\n"
    return (text + (f"include {include}\n" if include else "")).encode()


def buffer(rng):
    """Of a triangle; all have the same size."""
    return triangle(rng.randint(1, 99) / 4)[1]


def gltf(rng, picture=None, external=None):
    """A triangle, its buffer inside or in the file `external`, perhaps with a picture."""
    document, _ = triangle(1.0)
    blob = base64.b64encode(buffer(rng)).decode()
    document["buffers"][0]["uri"] = external or "data:application/octet-stream;base64," + blob
    for accessor in document["accessors"]:
        accessor.pop("min", None), accessor.pop("max", None)
    if picture:
        document["images"] = [{"uri": picture}]
        document["textures"] = [{"source": 0}]
        document["materials"] = [{"name": "Paint", "pbrMetallicRoughness": {
            "baseColorTexture": {"index": 0}}}]
        document["meshes"][0]["primitives"][0]["material"] = 0
    return dump(document)


class Assets:
    """Makes assets that refer to the packages of `names`, or to ones that may come."""

    def __init__(self, rng, names, dangling):
        self.rng = rng
        self.names = names
        self.dangling = dangling

    def path(self, names=None):
        """A reference's path."""
        names = self.names if names is None else names
        if not names or self.rng.random() < 0.06:
            return self.rng.choice(self.dangling)
        name = self.rng.choice(names)
        if extension(name):
            stem = name.rpartition("/")[2][:-len(extension(name))]
            return name + self.rng.choice(("", "", "." + stem))
        return name + self.rng.choice(("", "", "", ".Main", ".Main/Sub0", ".Sub1"))

    def refs(self, low, high, names=None, key="$ref"):
        return [{key: self.path(names)} for _ in range(self.rng.randint(low, high))]

    def properties(self, name, earlier):
        rng = self.rng
        properties = {"Value": number(rng), "Text": f"t{number(rng)}"}
        if rng.random() < 0.6:
            properties["Links"] = self.refs(0, 3)
        if rng.random() < 0.3:
            properties["Softs"] = self.refs(1, 2, key="$soft")
        if rng.random() < 0.15:
            properties["Editor"] = self.refs(1, 2)
        if name in ("Chain", "Ring", "Saver"):
            names = earlier if name == "Chain" else None
            properties["Feeds"] = self.refs(1, 3, names)
            if rng.random() < 0.3:
                properties["Hidden"] = self.refs(1, 1, names)
        elif name == "Puller":
            names = self.names + [name for name in self.dangling if ".Main" not in name]
            properties["PullsHard"] = [rng.choice(names)]
            properties["PullsSoft"] = [rng.choice(names)]
            properties["Depends"] = rng.sample(self.names, min(len(self.names), 2))
            properties["DependFile"] = rng.choice(READ_FILES)
            properties["DependKey"] = rng.choice(KEYS)
        elif name == "Tuned":
            properties["LoadKey"] = rng.choice(KEYS)
            properties["SaveKey"] = rng.choice(KEYS)
        elif name == "Filer":
            for key in rng.sample(("LoadFile", "SaveFile", "Probe"), 2):
                properties[key] = rng.choice(READ_FILES)
        elif name == "Holder":
            properties["Part"] = {"Weight": number(rng)}
        elif name == "Scout":
            properties.update(self.scout())
        elif name == "Picky":
            properties["Only"] = rng.choice((*TARGETS, *CONFIGURATIONS, ""))
        elif name == "Banker":
            properties["Streams"] = rng.randint(0, 7)
            if rng.random() < 0.4:
                properties["TagKey"] = rng.choice(KEYS)
        elif name == "Caller":
            properties.update(self.caller())
        return properties

    def caller(self):
        rng = self.rng
        return {"Loads": self.path(), "Scope": rng.choice(("", "build", "runtime")),
                "IgnoredKey": rng.choice(KEYS), "IgnoredFile": rng.choice(READ_FILES)}

    def label(self):
        """The document of a PrimaryAssetLabel."""
        rng = self.rng
        properties = {"Rule": rng.choice(("Unknown", "NeverCook", "DevelopmentCook",
                                          "AlwaysCook", "AlwaysCook")),
                      "Priority": rng.choice((-2, 0, 0, 1, 5)), "Chunk": rng.randint(-1, 3),
                      "Assets": self.refs(0, 2, key="$soft")}
        if rng.random() < 0.5:
            properties["Folders"] = [rng.choice(("/Game/B", "/Game/UI/", "/Pack/*", "/Game/A"))]
        return {"objects": [{"name": "Label", "class": COOK + "PrimaryAssetLabel",
                             "properties": properties}]}

    def scout(self):
        rng = self.rng
        classes = [PROP + name for name in ("Node", "Ring", "Extra", "Gone")]
        everything = {
            "Cvar": rng.choice(VARIABLES), "Token": rng.choice(TOKENS), "Env": ENVIRONMENT[0],
            "Folder": rng.choice(LISTED), "Redirected": self.path(),
            "DependClass": rng.choice(classes), "Whole": rng.choice(self.names),
            "Look": {"Weight": rng.randint(1, 3)},
        }
        keys = rng.sample(sorted(everything), 2)
        properties = {key: everything[key] for key in keys}
        properties["Early"] = rng.random() < 0.5
        query = rng.randrange(4)
        if query == 0:
            properties["QueryClass"] = rng.choice(classes + [COOK + "Object"])
            properties["QueryChildren"] = rng.random() < 0.7
            properties["QueryGlob"] = rng.choice(("/Game/A/*", "/Game/B/*.Main", "/Pack/*"))
        elif query == 1:
            properties["QueryTag"] = "Width"
            if rng.random() < 0.7:
                properties["QueryTagValue"] = rng.choice("48")
        return properties

    def object(self, name, earlier, outer=None):
        rng = self.rng
        kind = rng.choices(list(CLASSES), CLASSES.values())[0]
        item = {"name": name, "class": PROP + kind}
        if rng.random() < 0.02:
            item["class"] = LONER
        if outer:
            item["outer"] = outer
        if name != "Main" and rng.random() < 0.2:
            item["flags"] = ["EditorOnly"]
        item["properties"] = self.properties(kind, earlier)
        if item["class"] == LONER:
            item["properties"] = {"Value": number(rng), "Text": ""}
        return item

    def asset(self, earlier):
        objects = [self.object("Main", earlier)]
        if self.rng.random() < 0.2:
            objects.append(self.object("Sub0", earlier, "Main"))
        if self.rng.random() < 0.15:
            objects.append(self.object("Sub1", earlier))
        return {"objects": objects}


# ---- cycles of loads ----

def cycle_of(graph, package):
    """Whether loading the package comes back to it."""
    seen = set()
    queue = [package]
    while queue:
        for used in graph.load(queue.pop()).uses:
            if used == package:
                return True
            if used not in seen:
                seen.add(used)
                queue.append(used)
    return False


def rings_of_wholes(package, objects):
    """Whether the package could be in a ring of dependencies on whole keys, now or by what an
    earlier cook kept. Foreign files end each way; else names must descend, and nobody may
    inherit the dependency."""
    for item in objects:
        whole = item.properties.get("Whole")
        if whole and not extension(whole):
            if item.properties.get("Early") or whole >= package:
                return True
    return False


def order_dependent(graph):
    """
    The packages whose results could depend on who is first: in a cycle of loads, those that
    look at what a post_load has made, or that fail; rings of whole keys. Class code that does
    so is not deterministic, so the generator keeps clear of it.
    """
    found = []
    for package in graph.packages:
        objects = graph.objects(package) or ()
        chained = any(item.kind == "Chain" and item.refs(*LOADED_REFS) for item in objects)
        if rings_of_wholes(package, objects) or (
                (chained or not graph.load(package).ok) and cycle_of(graph, package)):
            found.append(package)
    return found


def without_looks(data):
    """The asset without what order_dependent may object to."""
    document = json.loads(data)
    for item in document["objects"]:
        for name in (*LOADED_REFS, "Whole"):
            item["properties"].pop(name, None)
    return dump(document)


def add_cycles(rng, files):
    """Let some of the Ring packages look at each other, in rings of two to four."""
    rings = [path for path, data in files.items() if path.endswith(".asset") and
             json.loads(data)["objects"][0]["class"] == PROP + "Ring"]
    rng.shuffle(rings)
    while len(rings) >= 2:
        ring = [rings.pop() for _ in range(min(len(rings), rng.randint(2, 4)))]
        for i, path in enumerate(ring):
            document = json.loads(files[path])
            after = package_name(ring[(i + 1) % len(ring)])
            document["objects"][0]["properties"]["Feeds"].append({"$ref": after})
            files[path] = dump(document)
        rings = rings[:len(rings) // 2]


# ---- the project ----

def foreign_files(rng, count):
    """Textures, shaders and notes in about that number."""
    files = {}
    for i in range(max(2, count * 2 // 5)):
        folder = "Content/UI" if i == 0 else rng.choice(FOLDERS)
        files[f"{folder}/Icon{i}.png"] = png(rng, rng.choice((4, 4, 8)))
    for i in range(max(1, count * 2 // 5)):
        include = rng.choice(READ_FILES + (None,))
        files[f"{rng.choice(FOLDERS)}/Note{i}.note"] = note(rng, include)
    for i in range(rng.randint(1, 2)):
        files.update(scene(rng, f"{rng.choice(FOLDERS[:-1])}/Mesh{i}.gltf", files))
    names = ["Common0.glsl", "Common1.glsl", "Light.glsl", "Shaders/Far.glsl"]
    files["Content/Lib/Common0.glsl"] = shader_include(rng, [])
    files["Content/Lib/Common1.glsl"] = shader_include(rng, ["Common0.glsl"])
    files["Shaders/Far.glsl"] = shader_include(rng, [])
    if rng.random() < 0.7:
        files["Content/Lib/Light.glsl"] = shader_include(rng, ["Shaders/Far.glsl"])
    for i in range(rng.randint(1, 3)):
        includes = rng.sample(names, rng.randint(1, 2))
        files[f"Content/Lib/Shade{i}.frag"] = shader(rng, includes)
    return files


def scene(rng, path, files):
    """A glTF file and its buffer, if that is a file; with a picture of its folder, or with one that
    is not there."""
    folder, _, name = path.rpartition("/")
    pictures = [other.rpartition("/")[2] for other in sorted(files)
                if other.endswith(".png") and other.rpartition("/")[0] == folder]
    picture = rng.choice(pictures + ["Late.png", None])
    if rng.random() < 0.6:
        return {path: gltf(rng, picture)}
    external = name.replace(".gltf", ".bin")
    return {path: gltf(rng, picture, external), f"{folder}/{external}": buffer(rng)}


def config_files(rng):
    lines = ["[Prop]"] + [f"{key}={rng.randint(1, 99)}" for key in KEYS if rng.random() < 0.7]
    if rng.random() < 0.5:
        lines += ["SchemaKey=1"]
    lines += ["[ConsoleVariables]", f"{VARIABLES[0]}={rng.randint(1, 99)}"]
    files = {"cook.ini": COOK_INI.encode(), "Config/DefaultGame.ini": "\n".join(lines).encode()}
    for target in TARGETS:
        lines = ["[Prop]"] + [f"{key}={rng.randint(1, 99)}" for key in KEYS
                              if rng.random() < 0.3]
        files[f"Config/{target}/{target}Game.ini"] = "\n".join(lines).encode()
    return files


def map_asset(assets, count):
    properties = {"Value": number(assets.rng), "Text": "map",
                  "Links": assets.refs(count, count)}
    return dump({"objects": [{"name": "Main", "class": PROP + "Node",
                              "properties": properties}]})


def redirector(path):
    """What an editor leaves behind where an object was."""
    return dump({"objects": [{"name": "Main", "class": COOK + "ObjectRedirector",
                              "properties": {"Target": {"$ref": path}}}]})


def generate(rng, package_count, target):
    """The files of a project of about that many packages."""
    files = config_files(rng)
    files.update(foreign_files(rng, max(5, package_count // 6)))
    for path in ("Data/one.txt", "Content/A/plain.txt", "Content/shared.txt"):
        files[path] = f"file {number(rng)}\n".encode()
    foreign = [package_name(path) for path in files if package_name(path)]
    paths = [f"{rng.choice(FOLDERS)}/P{i}.asset"
             for i in range(max(4, package_count - len(foreign) - 3))]
    names = [package_name(path) for path in paths]
    assets = Assets(rng, names + foreign, dangling_names())
    for i, path in enumerate(paths):
        files[path] = dump(assets.asset(names[:i] + foreign))
        if rng.random() < 0.1:
            files[path + ".cook"] = dump({"Value": number(rng)})
    for name in ("M0", "M1", "Start"):
        files[f"Content/Maps/{name}.asset"] = map_asset(assets, 3 + package_count // 8)
    for i in range(rng.choice((0, 0, 1, 2))):
        files[f"Content/Labels/L{i}.asset"] = dump(assets.label())
    add_cycles(rng, files)
    graph = Graph(Inputs(target, files))
    while True:
        bad = order_dependent(graph)
        if not bad:
            return files
        for package in bad:
            path = graph.packages[package]
            files[path] = without_looks(files[path])
        graph = Graph(Inputs(target, files))


def dangling_names():
    """References go to these now and then; packages of these names may come later."""
    return [f"/Game/{folder}/Later{i}" for folder in ("A", "B/Deep", "New/Folder")
            for i in range(2)] + ["/Game/A/Later0.Main", "/Game/A/Later0.Main/Sub0",
                                  "/Game/UI/Late.png", "/Game/B/Late.note"]
