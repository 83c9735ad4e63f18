"""What the cook must do: the test's own knowledge of the dependency graph.

A `Graph` is the meaning of some inputs: packages, what each depends on, where each leads.
A `Ledger` is what earlier cooks left behind. `Ledger.predict` says what the next cook does.

This is a second implementation of what the design calls build dependencies, over the classes of
plugin/, in the simplest way that can be right: values are compared as they are; nothing is
hashed, shared, or carried from cook to cook but what a result was made of.
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
COOK = "/Script/Cook."
LONER = "/Script/Stray.Loner"
PROP_CLASSES = ("Node", "Denied", "Holder", "Extra", "Chain", "Ring", "Saver", "Puller",
                "Tuned", "Schemed", "Filer", "Scout", "Note")
READERS = {".asset": "asset", ".png": "png", ".note": "prop-note", ".frag": "glsl",
           ".glsl": "glsl"}
MOUNTS = (("/Game", "Content"), ("/Pack", "Packs"))
LOADED_REFS = ("Feeds", "Hidden")
MAX_INCLUDE_DEPTH = 64
MAX_REDIRECTS = 16


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
        self.kind = class_name.rpartition(".")[2]
        self.inner = f"{outer.inner}/{name}" if outer else name
        self.editor_only = editor_only or (outer is not None and outer.editor_only)
        self.properties = properties

    def refs(self, *names):
        """Paths of the references in these properties, hard or soft."""
        return [item.get("$ref") or item.get("$soft")
                for name in names for item in self.properties.get(name, ())]


def parse_foreign(path, kind, data):
    stem = split(path)[1][:-len(kind)]
    if kind == ".png":
        whole = data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
        return [Object(stem, COOK + "Texture2D", None, False, {})] if whole else None
    if kind == ".note":
        whole = data.startswith(b"value ")
        return [Object("Note", PROP + "Note", None, False, {})] if whole else None
    return [Object(stem, COOK + "Shader", None, False, {})]


@functools.lru_cache(maxsize=65536)
def parse_objects(path, data):
    """The objects that a scan of the file finds; None when the file is broken."""
    if extension(path) != ".asset":
        return parse_foreign(path, extension(path), data)
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


def merge_layers(inputs):
    values = {("Incremental", "ClassScriptPackageAllowList"): ["/Script/Cook"]}
    for pattern in (r"Config/Default[^/]*\.ini", rf"Config/{inputs.target}/[^/]*\.ini",
                    r"cook\.ini"):
        for path in sorted(path for path in inputs.files if re.fullmatch(pattern, path)):
            merge_ini(values, inputs.files[path])
    return values


def glob_matches(pattern, name):
    regex = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch(regex, name) is not None


class Reads:
    """What one operation, a load or a save, read: the dependencies, as (kind, arguments…)."""

    def __init__(self):
        self.deps = {}  # in order, each once
        self.uses = {}  # packages dereferenced
        self.ok = True

    def add(self, *dep):
        self.deps[dep] = None


class Graph:
    def __init__(self, inputs):
        self.inputs = inputs
        self.files = inputs.files
        self.versions = VARIANTS[inputs.variant]
        self.config = merge_layers(inputs)
        self.redirects = {}
        for text in self.config.get(("Redirects", "Redirect"), ()):
            old, new = text.split(" -> ")
            self.redirects[old] = new
        self.packages = {}
        self.claimed_twice = set()
        for path in sorted(self.files):
            name = package_name(path)
            if name in self.packages:
                self.claimed_twice.add(name)
            elif name:
                self.packages[name] = path
        self._loads = {}
        self._saves = {}
        self._values = {}

    # ---- classes ----

    def config_values(self, section, key):
        return tuple(self.config.get((section, key), ()))

    def ancestors(self, class_name):
        """The class and its ancestors; empty when it is not registered."""
        name = class_name.rpartition(".")[2]
        if class_name in (COOK + "Texture2D", COOK + "Shader", COOK + "ObjectRedirector"):
            return [class_name, COOK + "Object"]
        known = class_name == LONER or (class_name.startswith(PROP) and name in PROP_CLASSES)
        if not known or self.versions.get(name, 1) is None:
            return []
        chain = [class_name, PROP + "Node", COOK + "Object"]
        return chain[1:] if name == "Node" else chain

    def schema(self, class_name):
        """All of a class's schema that ever changes here; None when it is not registered."""
        if not self.ancestors(class_name):
            return None
        name = class_name.rpartition(".")[2]
        if class_name.startswith(COOK):
            return class_name
        schema = [class_name, self.versions.get("Node", 1), self.versions.get(name, 1)]
        if name in ("Holder", "Scout"):
            schema.append(self.versions.get("PropPart", 1))
        if name == "Schemed":
            schema += [self.config_values("Prop", "SchemaKey"), self.schema(PROP + "Saver"),
                       self.schema(PROP + "Extra")]
        return tuple(schema)

    # ---- the registry ----

    def objects(self, package):
        path = self.packages[package]
        return parse_objects(path, self.files[path])

    def facts(self, package):
        """The objects that the registry knows of; None when the file is broken."""
        return None if package in self.claimed_twice else self.objects(package)

    def is_broken(self, package):
        return self.facts(package) is None

    def _find(self, path):
        """(package, inner path, class, redirector): the package with the longest name wins."""
        length = len(path)
        while length > 0 and path[:length] not in self.packages:
            length = path.rfind(".", 0, length)
        if length <= 0:
            return None, None, None, None
        package, inner = path[:length], path[length + 1:] or None
        for item in self.facts(package) or ():
            if inner in (None, item.inner):
                onward = item.properties.get("Target", {}).get("$ref")
                return package, item.inner, item.class_name, onward
        return package, None, None, None

    def _redirect(self, path):
        if path in self.redirects:
            return self.redirects[path]
        length = path.rfind(".")
        while length > 0:
            if path[:length] in self.redirects:
                return self.redirects[path[:length]] + path[length:]
            length = path.rfind(".", 0, length)
        return None

    def resolve(self, path):
        """(package, inner path, class, final path); None where there is none."""
        resolved = None, None, None, path
        for _ in range(MAX_REDIRECTS + 1):
            onward = self._redirect(path)
            if onward is None:
                package, inner, class_name, onward = self._find(path)
                resolved = package, inner, class_name, path
            if onward is None:
                break
            path = onward
        return resolved

    def query(self, class_name, children, glob, tag, tag_value):
        found = []
        for package, path in self.packages.items():
            if tag and not (extension(path) == ".png" and
                            tag_value in (None, str(self.files[path][19]))):
                continue
            for item in self.facts(package) or ():
                named = f"{package}.{item.inner}"
                fits = class_name in (None, item.class_name) or (
                    children and class_name in self.ancestors(item.class_name))
                if fits and (glob is None or glob_matches(glob, named)):
                    found.append(named)
        return tuple(sorted(found))

    def listing(self, folder):
        names = set()
        for path in self.files:
            if path.startswith(folder + "/"):
                name, more, _ = path[len(folder) + 1:].partition("/")
                names.add(name + more)
        return tuple(sorted(names)) or None

    # ---- values of dependencies ----

    def value(self, dep):
        if dep not in self._values:
            self._values[dep] = getattr(self, "_value_" + dep[0])(*dep[1:])
        return self._values[dep]

    def _value_source(self, package):
        path = self.packages.get(package)
        return path and (self.files[path], self.files.get(path + ".cook"))

    def _value_reader(self, kind):
        return READERS[kind], self.versions.get(READERS[kind], 1)

    def _value_ref(self, path):
        return self.resolve(path)[:3]

    def _value_redirect(self, path):
        return self.resolve(path)[3]

    def _value_class(self, class_name):
        return self.schema(class_name)

    def _value_config(self, section, key):
        return self.config_values(section, key)

    def _value_file(self, path):
        return self.files.get(path)

    def _value_folder(self, path):
        return self.listing(path)

    def _value_query(self, *query):
        return self.query(*query)

    def _value_environment(self, name):
        return self.inputs.environment.get(name)

    def _value_argument(self, name):
        found = None
        for argument in self.inputs.arguments:
            given, _, value = argument.lstrip("-").partition("=")
            found = value if given == name else found
        return found

    def _value_look(self, weight):
        """The registered function PropLook."""
        return weight, self.inputs.environment.get("PROP_LOOK")

    # ---- what is read ----

    def _project_path(self, package, path):
        if path.startswith("./") or path.startswith("../"):
            path = f"{split(self.packages[package])[0]}/{path}"
        parts = []
        for part in path.split("/"):
            if part == "..":
                parts.pop()
            elif part not in (".", ""):
                parts.append(part)
        return "/".join(parts)

    def _read_file(self, reads, package, path):
        if path is None:
            return None
        path = self._project_path(package, path)
        reads.add("file", path)
        return self.files.get(path)

    def _read_config(self, reads, section, key):
        if key is not None:
            reads.add("config", section, key)

    def _dereference(self, reads, package, path):
        reads.add("ref", path)
        target = self.resolve(path)[0]
        if target and target != package:
            reads.uses[target] = None

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
        reads.add("source", package)
        reads.add("reader", kind)
        objects = self.objects(package)
        if objects is None:
            return False
        for item in objects:
            reads.add("class", item.class_name)
            if not self.ancestors(item.class_name):
                return False
        if kind == ".note":
            match = re.search(rb"\ninclude ([^\n]*)", self.files[path])
            self._read_file(reads, package, match and match[1].decode())
        elif self.side(package) is None:
            return False
        return all(self._post_load(reads, package, item) for item in objects)

    def _post_load(self, reads, package, item):
        properties = item.properties
        if properties.get("Fail") == "load":
            return False
        if item.kind in ("Chain", "Ring"):
            for path in item.refs(*LOADED_REFS):
                self._dereference(reads, package, path)
        elif item.kind == "Tuned":
            self._read_config(reads, "Prop", properties.get("LoadKey"))
        elif item.kind == "Filer":
            self._read_file(reads, package, properties.get("LoadFile"))
        elif item.kind == "Scout" and properties.get("Early"):
            self._look_around(reads, package, properties)
        return True

    def _look_around(self, reads, package, properties):
        for name, dep in (("Cvar", ("config", "ConsoleVariables")), ("Token", ("argument",)),
                          ("Env", ("environment",)), ("Redirected", ("redirect",)),
                          ("DependClass", ("class",)), ("Whole", ("whole",))):
            if name in properties:
                reads.add(*dep, properties[name])
        if "Folder" in properties:
            reads.add("folder", self._project_path(package, properties["Folder"]))
        query = [properties.get("Query" + name)
                 for name in ("Class", "Children", "Glob", "Tag", "TagValue")]
        if query[0] or query[2] or query[3]:
            reads.add("query", *query)
        if properties.get("Look", {}).get("Weight"):
            reads.add("look", properties["Look"]["Weight"])

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
                reads.add("ref", path)
            for path in (item.refs("Softs") + item.properties.get("PullsHard", []) +
                         item.properties.get("PullsSoft", [])):
                reads.add("redirect", path)
        return True

    def _transform(self, reads, package, item):
        properties = item.properties
        if properties.get("Fail") == "save":
            return False
        if item.kind == "Saver":
            for path in item.refs(*LOADED_REFS):
                self._dereference(reads, package, path)
        elif item.kind == "Tuned":
            self._read_config(reads, "Prop", properties.get("SaveKey"))
        elif item.kind == "Filer":
            self._read_file(reads, package, properties.get("Probe"))
            self._read_file(reads, package, properties.get("SaveFile"))
        elif item.kind == "Puller":
            for path in properties.get("Depends", ()):
                self._dereference(reads, package, path)
            self._read_file(reads, package, properties.get("DependFile"))
            self._read_config(reads, "Prop", properties.get("DependKey"))
        elif item.kind == "Scout" and not properties.get("Early"):
            self._look_around(reads, package, properties)
        elif item.kind == "Texture2D" and not self.side(package).get("MaxSize"):
            self._read_config(reads, "Texture", "MaxSize")
        elif item.kind == "Shader" and extension(package) == ".frag":
            return self._compile(reads, package)
        return True

    def _compile(self, reads, package):
        self._read_config(reads, "Shader", "Define")
        self._read_config(reads, "Shader", "DebugInfo")
        text = self.files[self.packages[package]]
        return self._include(reads, package, "./" + split(package)[1], text, 0)

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

    def deps(self, package):
        """All dependencies: its own, and the load sets of what it dereferenced, and of what
        that dereferenced while loading, and so on."""
        deps = dict(self.save(package).deps)
        found = dict.fromkeys([package, *self.save(package).uses])
        queue = list(found)
        while queue:
            reads = self.load(queue.pop())
            deps.update(reads.deps)
            fresh = [used for used in reads.uses if used not in found]
            found.update(dict.fromkeys(fresh))
            queue += fresh
        return deps

    def hard_edges(self, package):
        """(final path, package) of what is loaded with it, by reference."""
        edges = []
        for item in self.objects(package):
            if item.editor_only:
                continue
            for path in item.refs("Links", "Feeds"):
                target, inner, _, final = self.resolve(path)
                if inner and target != package:
                    edges.append((final, target))
        return edges

    def soft_edges(self, package):
        """The same of what may or may not be there: soft references, and what was declared."""
        paths = []
        for item in self.objects(package):
            if not item.editor_only:
                paths += (item.refs("Softs") + item.properties.get("PullsHard", []) +
                          item.properties.get("PullsSoft", []))
        resolved = [self.resolve(path) for path in paths]
        return [(final, package if inner else None) for package, inner, _, final in resolved]

    def opted_out(self, package):
        allow = set(self.config_values("Incremental", "ClassScriptPackageAllowList"))
        deny = set(self.config_values("Incremental", "ClassDenyList"))
        for item in self.facts(package) or ():
            names = set(self.ancestors(item.class_name))
            if not names:
                continue  # an unregistered class fails its package, no more
            names.add(item.class_name.rpartition(".")[0])
            if not item.class_name.startswith(COOK):
                names.add("<ProjectRoot>")
            if names.isdisjoint(allow) or not names.isdisjoint(deny):
                return True
        return False

    def never_cook(self, package):
        return any(glob_matches(glob, package)
                   for glob in self.config_values("Cook", "NeverCook"))

    def roots(self):
        """The packages that the search starts from, and whether a named one is missing."""
        named = self.config_values("Cook", "Map") + self.config_values("Cook", "Startup")
        roots = [name for name in named if name in self.packages]
        globs = self.config_values("Cook", "AlwaysCook")
        roots += [name for name in self.packages if any(glob_matches(g, name) for g in globs)]
        return ([name for name in roots if not self.never_cook(name)],
                any(name not in self.packages for name in named))


class Kept:
    """A result in the store: what it was made of, and where it leads."""

    def __init__(self, graph, package):
        deps = graph.deps(package)
        self.values = {dep: graph.value(dep) for dep in deps if dep[0] != "whole"}
        self.wholes = {dep[1]: None for dep in deps if dep[0] == "whole"}  # package -> its key
        self.edges = [("hard", *edge) for edge in graph.hard_edges(package)]
        self.edges += [("soft", *edge) for edge in graph.soft_edges(package)]

    def key_now(self, graph, kept):
        """What its dependencies are worth now, as one value."""
        values = {(dep, graph.value(dep)) for dep in self.values}
        wholes = {(name, whole_key(graph, kept, name)) for name in self.wholes}
        return frozenset(values | wholes)

    def is_current(self, graph, kept):
        return (all(graph.value(dep) == value for dep, value in self.values.items()) and
                all(whole_key(graph, kept, name) == key for name, key in self.wholes.items()))

    def finish(self, graph, kept):
        """Whole keys are known when the cook has ended."""
        self.wholes = {name: whole_key(graph, kept, name) for name in self.wholes}

    def targets(self, graph):
        return [graph.resolve(path)[0] for _, path, _ in self.edges]

    def guessed_targets(self, graph):
        """For a dry run, of a package that would be cooked: where it led, if that is there."""
        for kind, path, package in self.edges:
            stands = package in graph.packages and (kind == "hard" or path == package)
            yield package if stands else graph.resolve(path)[0]


def whole_key(graph, kept, package):
    """The key of another package's kept result, or None. Never in rings, see generate.py."""
    result = kept.get(package)
    return result and result.key_now(graph, kept)


class Ledger:
    def __init__(self):
        self.kept = {}
        self.failed = set()
        self.forced = set()

    def restart(self, graph, results):
        """Take the results of a cook as they are: all that was not failed is up to date."""
        for package, result in results.items():
            self.failed.discard(package)
            if result == "failed":
                self.failed.add(package)
                continue
            self.kept[package] = Kept(graph, package)
            self.forced.discard(package)
        for package in results:
            if package not in self.failed:
                self.kept[package].finish(graph, self.kept)

    def has_plain_key(self, package, good):
        """Whether a fresh cook that comes to the results `good` has the same key: one that
        includes another package's may know that one from a cook which reached it."""
        wholes = self.kept[package].wholes
        return all(name in good and self.has_plain_key(name, good) for name in wholes)

    def _must_cook(self, graph, package, kept):
        if package in self.failed or package in self.forced or package not in kept:
            return True
        return graph.opted_out(package) or not kept[package].is_current(graph, kept)

    def _cook(self, graph, package):
        if graph.is_broken(package) or not graph.save(package).ok:
            self.failed.add(package)
            return "failed"
        result = "recooked" if package in self.kept else "new"
        self.kept[package] = Kept(graph, package)
        self.failed.discard(package)
        self.forced.discard(package)
        return result

    def _search(self, graph, queue, results, must_cook, dry):
        while queue:
            package = queue.pop()
            if package is None or package in results or graph.never_cook(package):
                continue
            if not must_cook(package):
                results[package] = "skipped"
            else:
                results[package] = "would cook" if dry else self._cook(graph, package)
            if results[package] == "would cook" and package in self.kept:
                queue.extend(self.kept[package].guessed_targets(graph))
            elif results[package] not in ("would cook", "failed"):
                queue.extend(self.kept[package].targets(graph))

    def predict(self, graph, full=False, dry=False):
        """Result by package, and the exit status; the ledger moves on unless `dry`."""
        before = dict(self.kept)
        roots, missing = graph.roots()
        results = {}

        def must_cook(package):
            return full or graph.is_broken(package) or self._must_cook(graph, package, before)
        self._search(graph, list(roots), results, must_cook, dry)
        if not dry:
            self._finish(graph, results)
        failed = "failed" in results.values()
        return results, 3 if failed else 2 if missing else 0

    def _finish(self, graph, results):
        """Cook also what depends on the whole key of a package that had none before."""
        while True:
            for package, result in results.items():
                if result in ("new", "recooked"):
                    self.kept[package].finish(graph, self.kept)
            late = [package for package, result in results.items() if result == "skipped" and
                    not self.kept[package].is_current(graph, self.kept)]
            if not late:
                return
            for package in late:
                del results[package]
            self._search(graph, late, results, lambda package: True, False)
