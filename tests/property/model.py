"""What the cook must do: the test's own knowledge of the dependency graph.

A `Graph` is the meaning of a set of source files: packages, what each depends on, where each leads.
A `Ledger` is what earlier cooks left behind. `Ledger.predict` says what the next cook does.

This is a second implementation of section "build dependencies" of the design, over the classes of
plugin/, in the simplest way that can be right: dependency values are compared as they are, nothing
is hashed, cached between cooks or shared.
"""
import functools
import json
import re

# What each build of the plugin is: the versions that are not 1.
VARIANTS = {
    "base": {},
    "again": {},
    "node": {"Node": 2},
    "chain": {"Chain": 2},
    "chain_again": {"Chain": 2},
    "saver": {"Saver": 2},
    "part": {"PropPart": 2},
    "reader": {"prop-note": 2},
    "lean": {"Extra": None},  # the class is gone
}
PROP = "/Script/Prop."
NODE_CLASSES = ("Node", "Denied", "Holder", "Extra", "Chain", "Ring", "Saver", "Puller", "Tuned",
                "Schemed", "Filer", "Note")
READERS = {".asset": "asset", ".png": "png", ".note": "prop-note", ".frag": "glsl",
           ".glsl": "glsl"}
MOUNTS = (("/Game", "Content"), ("/Pack", "Packs"))
LOADED_REFS = ("Feeds", "Hidden")
MAX_INCLUDE_DEPTH = 64


def split(path):
    folder, _, name = path.rpartition("/")
    return folder, name


def extension(path):
    name = split(path)[1]
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def package_name(path):
    """The package whose main file this is, or None."""
    if extension(path) not in READERS or split(path)[1].startswith("."):
        return None
    for mount, folder in MOUNTS:
        if path.startswith(folder + "/"):
            name = mount + path[len(folder):]
            return name[:-len(".asset")] if name.endswith(".asset") else name
    return None


# ---- sources ----

@functools.lru_cache(maxsize=65536)
def parse_json(data):
    try:
        return json.loads(data)
    except ValueError:
        return None


class Object:
    def __init__(self, name, class_name, outer, editor_only, properties):
        self.name = name
        self.class_name = class_name
        self.inner = f"{outer.inner}/{name}" if outer else name
        self.editor_only = editor_only or (outer is not None and outer.editor_only)
        self.properties = properties

    def refs(self, *names):
        """Paths of the references in these properties, hard or soft."""
        found = []
        for name in names:
            for item in self.properties.get(name, ()):
                if item:
                    found.append(item.get("$ref") or item.get("$soft"))
        return found


@functools.lru_cache(maxsize=65536)
def parse_objects(path, data):
    """The objects that a scan of the file finds; None when the file is broken."""
    kind = extension(path)
    stem = split(path)[1][:-len(kind)]
    if kind == ".png":
        whole = data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
        return [Object(stem, "/Script/Cook.Texture2D", None, False, {})] if whole else None
    if kind == ".note":
        return [Object("Note", PROP + "Note", None, False, {})] if data[:6] == b"value " else None
    if kind in (".frag", ".glsl"):
        return [Object(stem, "/Script/Cook.Shader", None, False, {})]
    document = parse_json(data)
    if document is None:
        return None
    objects = []
    for item in document["objects"]:
        outer = next((o for o in objects if o.inner == item.get("outer")), None)
        objects.append(Object(item["name"], item["class"], outer,
                              "EditorOnly" in item.get("flags", ()), item["properties"]))
    return objects


# ---- config ----

def merge_ini(values, data):
    section = None
    for line in data.decode().splitlines():
        line = line.split(";")[0].strip()
        if line.startswith("["):
            section = line[1:-1]
        elif "=" in line:
            key, _, text = line.partition("=")
            mode = key[0] if key[0] in "+-" else "="
            entry = values.setdefault((section, key.lstrip("+-")), [])
            if mode == "=":
                entry[:] = [text]
            elif mode == "-" and text in entry:
                entry.remove(text)
            elif mode == "+" and text not in entry:
                entry.append(text)


def glob_matches(pattern, name):
    regex = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch(regex, name) is not None


class Reads:
    """What one operation, a load or a save, read."""

    def __init__(self):
        self.values = {}  # (kind, arguments) -> value
        self.uses = {}    # packages dereferenced, in order
        self.ok = True


class Graph:
    def __init__(self, files, variant, target):
        self.files = files
        self.versions = VARIANTS[variant]
        self.config = {("Incremental", "ClassScriptPackageAllowList"): ["/Script/Cook"]}
        layers = [p for p in files if re.fullmatch(r"Config/Default[^/]*\.ini", p)]
        layers += [p for p in files if re.fullmatch(rf"Config/{target}/[^/]*\.ini", p)]
        for path in sorted(layers, key=lambda p: (p.count("/"), p)) + ["cook.ini"]:
            merge_ini(self.config, files[path])
        self.packages = {}
        for path in sorted(files):
            if package_name(path):
                self.packages[package_name(path)] = path
        self._loads = {}
        self._saves = {}

    # ---- values ----

    def values(self, section, key):
        return tuple(self.config.get((section, key), ()))

    def registered(self, class_name):
        name = class_name.rpartition(".")[2]
        known = class_name.startswith("/Script/Cook.") or class_name == "/Script/Stray.Loner" or (
            class_name.startswith(PROP) and name in NODE_CLASSES)
        return known and self.versions.get(name, 1) is not None

    def schema(self, class_name):
        """All that a class's schema is made of and that ever changes here."""
        if not self.registered(class_name):
            return None
        name = class_name.rpartition(".")[2]
        if class_name.startswith("/Script/Cook."):
            return class_name
        schema = [class_name, self.versions.get("Node", 1), self.versions.get(name, 1)]
        if name == "Holder":
            schema.append(self.versions.get("PropPart", 1))
        if name == "Schemed":
            schema.append(self.values("Prop", "SchemaKey"))
        return tuple(schema)

    def objects(self, package):
        path = self.packages[package]
        return parse_objects(path, self.files[path])

    def is_broken(self, package):
        return self.objects(package) is None

    def find_package(self, path):
        """The package with the longest name that starts the path, and the rest, or None, None."""
        length = len(path)
        while length > 0:
            if path[:length] in self.packages:
                return path[:length], path[length + 1:] or None
            length = path.rfind(".", 0, length)
        return None, None

    def resolve(self, path):
        """(package, inner path, class); the latter two None where the object is missing."""
        package, inner = self.find_package(path)
        if package:
            for item in self.objects(package) or ():
                if inner is None or item.inner == inner:
                    return package, item.inner, item.class_name
        return package, None, None

    # ---- what is read ----

    def _read_file(self, reads, package, path):
        if path is None:
            return None
        if path.startswith("./") or path.startswith("../"):
            path = f"{split(self.packages[package])[0]}/{path}"
        parts = []
        for part in path.split("/"):
            if part == "..":
                parts.pop()
            elif part not in (".", ""):
                parts.append(part)
        path = "/".join(parts)
        reads.values["file", path] = self.files.get(path)
        return self.files.get(path)

    def _read_config(self, reads, section, key):
        if key is not None:
            reads.values["config", section, key] = self.values(section, key)

    def _resolve(self, reads, path):
        reads.values["ref", path] = resolved = self.resolve(path)
        return resolved

    def _dereference(self, reads, package, path):
        target = self._resolve(reads, path)[0]
        if target and target != package:
            reads.uses[target] = True

    def load(self, package):
        if package not in self._loads:
            self._loads[package] = reads = Reads()
            reads.ok = self._load(reads, package)
        return self._loads[package]

    def side(self, package):
        """The options of the side file: {} without one, None when it is broken."""
        data = self.files.get(self.packages[package] + ".cook")
        return {} if data is None else parse_json(data)

    def _load(self, reads, package):
        path = self.packages[package]
        kind = extension(path)
        reads.values["source", package] = (self.files[path], self.files.get(path + ".cook"))
        reads.values["reader", kind] = (READERS[kind], self.versions.get(READERS[kind], 1))
        objects = self.objects(package)
        if objects is None:
            return False
        for item in objects:
            reads.values["class", item.class_name] = self.schema(item.class_name)
            if not self.registered(item.class_name):
                return False
        if kind == ".note":
            match = re.search(rb"\ninclude ([^\n]*)", self.files[path])
            self._read_file(reads, package, match and match[1].decode())
        elif self.side(package) is None:
            return False
        return all(self._post_load(reads, package, item) for item in objects)

    def _post_load(self, reads, package, item):
        name = item.class_name.rpartition(".")[2]
        properties = item.properties
        if properties.get("Fail") == "load":
            return False
        if name in ("Chain", "Ring"):
            for path in item.refs(*LOADED_REFS):
                self._dereference(reads, package, path)
        elif name == "Tuned":
            self._read_config(reads, "Prop", properties.get("LoadKey"))
        elif name == "Filer":
            self._read_file(reads, package, properties.get("LoadFile"))
        return True

    def save(self, package):
        if package not in self._saves:
            self._saves[package] = reads = Reads()
            reads.ok = self.load(package).ok and self._save(reads, package)
        return self._saves[package]

    def _save(self, reads, package):
        saved = [item for item in self.objects(package) if not item.editor_only]
        for item in saved:
            if not self._transform(reads, package, item):
                return False
        for item in saved:
            for path in item.refs("Links", "Feeds"):
                self._resolve(reads, path)
        return True

    def _transform(self, reads, package, item):
        name = item.class_name.rpartition(".")[2]
        properties = item.properties
        if properties.get("Fail") == "save":
            return False
        if name == "Saver":
            for path in item.refs(*LOADED_REFS):
                self._dereference(reads, package, path)
        elif name == "Tuned":
            self._read_config(reads, "Prop", properties.get("SaveKey"))
        elif name == "Filer":
            self._read_file(reads, package, properties.get("Probe"))
            self._read_file(reads, package, properties.get("SaveFile"))
        elif name == "Puller":
            for path in properties.get("Depends", ()):
                self._dereference(reads, package, path)
            self._read_file(reads, package, properties.get("DependFile"))
            self._read_config(reads, "Prop", properties.get("DependKey"))
        elif name == "Texture2D" and not self.side(package).get("MaxSize"):
            self._read_config(reads, "Texture", "MaxSize")
        elif name == "Shader" and extension(package) == ".frag":
            self._read_config(reads, "Shader", "Define")
            self._read_config(reads, "Shader", "DebugInfo")
            text = self.files[self.packages[package]]
            return self._include(reads, package, "./" + split(package)[1], text, 0)
        return True

    def _include(self, reads, package, name, text, depth):
        """Relative to the including file first, then to the project."""
        if depth > MAX_INCLUDE_DEPTH:
            return False
        for wanted in re.findall(rb'#include "([^"]*)"', text):
            for folder in (split(name)[0], None):
                path = f"{folder}/{wanted.decode()}" if folder else wanted.decode()
                data = self._read_file(reads, package, path)
                if data is not None:
                    break
            if data is None or not self._include(reads, package, path, data, depth + 1):
                return False
        return True

    # ---- what follows ----

    def closure(self, package):
        """The packages whose load sets enter the key."""
        found = dict.fromkeys([package, *self.save(package).uses])
        queue = list(found)
        while queue:
            for used in self.load(queue.pop()).uses:
                if used not in found:
                    found[used] = None
                    queue.append(used)
        return found

    def key(self, package):
        values = dict(self.save(package).values)
        for used in self.closure(package):
            values.update(self.load(used).values)
        return values

    def hard_edges(self, package):
        """(path, package) of what is loaded with it."""
        edges = []
        for item in self.objects(package):
            if item.editor_only:
                continue
            for path in item.refs("Links", "Feeds"):
                target, inner, _ = self.resolve(path)
                if inner and target != package:
                    edges.append((path, target))
            for path in item.properties.get("PullsHard", ()):
                edges.append((path, self.find_package(path)[0]))
        return edges

    def soft_edges(self, package):
        paths = []
        for item in self.objects(package):
            if not item.editor_only:
                paths += item.refs("Softs") + item.properties.get("PullsSoft", [])
        return paths

    def _matches(self, entries, class_name):
        module = class_name.rpartition(".")[0]
        names = {class_name, module}
        if class_name.startswith(PROP) or class_name.startswith("/Script/Stray."):
            names |= {"<ProjectRoot>", PROP + "Node"}
        return bool(names.intersection(entries))

    def opted_out(self, package):
        allow = self.values("Incremental", "ClassScriptPackageAllowList")
        deny = self.values("Incremental", "ClassDenyList")
        return any(self.registered(item.class_name) and
                   (not self._matches(allow, item.class_name) or
                    self._matches(deny, item.class_name))
                   for item in self.objects(package) or ())

    def never_cook(self, package):
        return any(glob_matches(glob, package) for glob in self.values("Cook", "NeverCook"))

    def roots(self):
        """The packages that the search starts from, and whether a named one is missing."""
        named = self.values("Cook", "Map") + self.values("Cook", "Startup")
        roots = [name for name in named if name in self.packages]
        globs = self.values("Cook", "AlwaysCook")
        roots += [name for name in self.packages if any(glob_matches(g, name) for g in globs)]
        missing = any(name not in self.packages for name in named)
        return [name for name in roots if not self.never_cook(name)], missing


class Kept:
    """A result in the store."""

    def __init__(self, graph, package):
        self.key = graph.key(package)
        self.hard = graph.hard_edges(package)
        self.soft = graph.soft_edges(package)

    def targets(self, graph):
        """Where it leads now; a hard edge leads where it led while that is still there."""
        for path, package in self.hard:
            yield package if package in graph.packages else graph.find_package(path)[0]
        for path in self.soft:
            yield graph.find_package(path)[0]


class Ledger:
    def __init__(self):
        self.kept = {}
        self.failed = set()
        self.forced = set()

    def _must_cook(self, graph, package):
        if package in self.failed or package in self.forced or package not in self.kept:
            return True
        return graph.opted_out(package) or self.kept[package].key != graph.key(package)

    def _cook(self, graph, package):
        if graph.is_broken(package) or not graph.save(package).ok:
            self.failed.add(package)
            return "failed"
        result = "recooked" if package in self.kept else "new"
        self.kept[package] = Kept(graph, package)
        self.failed.discard(package)
        self.forced.discard(package)
        return result

    def predict(self, graph, full=False, dry=False):
        """Result by package, and the exit status; the ledger moves on unless `dry`."""
        roots, missing = graph.roots()
        results = {}
        queue = list(roots)
        while queue:
            package = queue.pop()
            if package is None or package in results or graph.never_cook(package):
                continue
            if not (full or graph.is_broken(package) or self._must_cook(graph, package)):
                results[package] = "skipped"
            else:
                results[package] = "would cook" if dry else self._cook(graph, package)
            if package in self.kept and results[package] != "failed":
                queue.extend(self.kept[package].targets(graph))
        failed = "failed" in results.values()
        return results, 3 if failed else 2 if missing else 0
