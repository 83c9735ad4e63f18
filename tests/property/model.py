"""What the cook must do: the test's own knowledge of the dependency graph.

A `Graph` is the meaning of some inputs for a target: packages, what each depends on, where each
leads. What a cook makes of it stands in ledger.py.

This is a second implementation of what the design calls build dependencies, over the classes of
plugin/, in the simplest way that can be right: values are compared as they are; nothing is
hashed, shared, or carried from cook to cook but what a result was made of.
"""
import functools
import json
import re

from rules import Rules, glob_matches

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
    "words": {"PropWords": 2},  # the artifact: all packages carry its parts
    "lean": {"Extra": None},  # the class is gone
}
PROP = "/Script/Prop."
COOK = "/Script/Cook."
LONER = "/Script/Stray.Loner"
PROP_CLASSES = ("Node", "Denied", "Holder", "Extra", "Chain", "Ring", "Saver", "Puller",
                "Tuned", "Schemed", "Filer", "Scout", "Note", "Picky", "Banker", "Caller")
COOK_CLASSES = ("Texture2D", "Shader", "ObjectRedirector", "PrimaryAssetLabel", "World",
                "StaticMesh", "Material")
READERS = {".asset": "asset", ".png": "png", ".note": "prop-note", ".frag": "glsl",
           ".glsl": "glsl", ".gltf": "gltf"}
MOUNTS = (("/Game", "Content"), ("/Pack", "Packs"))
LOADED_REFS = ("Feeds", "Hidden")
CLIENT = "client"  # the configuration when config names none
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
        self.outer = outer
        self.inner = f"{outer.inner}/{name}" if outer else name
        self.editor_only = editor_only or (outer is not None and outer.editor_only)
        self.properties = properties

    def refs(self, *names):
        """Paths of the references in these properties, hard or soft."""
        return [item.get("$ref") or item.get("$soft")
                for name in names for item in self.properties.get(name, ())]


def parse_gltf(path, data):
    """A scene, its mesh, and perhaps a material with a picture from the same folder."""
    document = parse_json(data)
    if document is None:
        return None
    package = package_name(path)

    def item(name, kind, refs):
        links = [{"$ref": ref} for ref in refs]
        return Object(name, COOK + kind, None, False, {"Links": links})
    pictures = [f"{split(package)[0]}/{image['uri']}" for image in document.get("images", ())]
    paint = [package + ".Paint"] if pictures else []
    objects = [item("Scene", "World", [package + ".Mesh"]), item("Mesh", "StaticMesh", paint)]
    return objects + ([item("Paint", "Material", pictures)] if pictures else [])


def gltf_buffer(data):
    """The name of the glTF file's buffer; None when it is part of it."""
    uri = parse_json(data)["buffers"][0]["uri"]
    return None if uri.startswith("data:") else uri


def parse_foreign(path, kind, data):
    if kind == ".gltf":
        return parse_gltf(path, data)
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
    for name, text in inputs.overrides:
        section, _, key = name.partition(".")
        values[section, key] = [text]
    return values


class Reads:
    """What one operation, a load or a save, read: the dependencies, as (kind, arguments…)."""

    def __init__(self):
        self.deps = {}  # in order, each once
        self.uses = {}  # packages dereferenced
        self.soft = {}  # those of them that come along although no reference leads there
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
        self.keep_editor_only = self.config_values("Cook", "KeepEditorOnly") == ("true",)
        self.configuration = (self.config_values("Cook", "Configuration") or (CLIENT,))[-1]
        self._loads = {}
        self._saves = {}
        self._values = {}
        self.rules = Rules(self)

    # ---- classes ----

    def config_values(self, section, key):
        return tuple(self.config.get((section, key), ()))

    def ancestors(self, class_name):
        """The class and its ancestors; empty when it is not registered."""
        name = class_name.rpartition(".")[2]
        if class_name.startswith(COOK) and name in COOK_CLASSES:
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

    def _value_engine(self):
        return self.inputs.target, self.versions.get("PropWords", 1), self.keep_editor_only

    def _value_kept(self, path):
        """Whether the object is saved for this target; None when there is none."""
        package, inner, _, _ = self.resolve(path)
        if not inner:
            return None
        return not self.load(package).ok or self.is_saved(self._object(package, inner))

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

    def _dereference(self, reads, package, path, scope=None):
        """Scope "build": needed to build only, as what is declared; "runtime": it comes along;
        none: so does what the registry does not know of."""
        reads.add("ref", path)
        target = self.resolve(path)[0]
        if target and target != package:
            reads.uses[target] = None
            if scope == "runtime" or (not scope and not self._is_named(package, target)):
                reads.soft[target] = None

    def _is_named(self, package, target):
        """Whether any reference of the package leads there, saved or not."""
        paths = []
        for item in self.facts(package) or ():
            paths += item.refs("Links", "Softs", "Editor", "Feeds", "Hidden", "Assets")
        return any(self.resolve(path)[0] == target for path in paths)

    # ---- what is saved ----

    def _object(self, package, inner):
        return next(item for item in self.facts(package) if item.inner == inner)

    def _wanted(self, item):
        only = item.properties.get("Only") if item.kind == "Picky" else None
        return only in (None, "", self.inputs.target, self.configuration)

    def is_saved(self, item):
        while item:
            if not self._wanted(item) or (item.editor_only and not self.keep_editor_only):
                return False
            item = item.outer
        return True

    def saved(self, package):
        return [item for item in self.objects(package) if self.is_saved(item)]

    def is_omitted(self, package):
        return not self.saved(package)

    def _is_asked(self, path):
        """Whether an object, or one around it, has a say in whether it is saved."""
        package, inner, _, _ = self.resolve(path)
        item = self._object(package, inner) if inner else None
        while item and item.kind != "Picky":
            item = item.outer
        return item is not None

    def _saved_refs(self, item):
        if not self.keep_editor_only:
            return item.refs("Links", "Feeds")
        onward = item.properties.get("Target", {}).get("$ref")  # of a redirector
        return item.refs("Links", "Feeds", "Editor", "Hidden") + ([onward] if onward else [])

    # ---- loads and saves ----

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
        if kind == ".gltf":
            buffer = gltf_buffer(self.files[path])
            if buffer and self._read_file(reads, package, "./" + buffer) is None:
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
        if any(item.kind == "Picky" for item in self.objects(package)):
            reads.add("config", "Cook", "Configuration")
        saved = self.saved(package)
        for item in saved:
            if not self._transform(reads, package, item):
                return False
        for item in saved:
            for path in self._saved_refs(item):
                reads.add("ref", path)
                if self._is_asked(path) and self.resolve(path)[0] != package:
                    reads.add("kept", path)
            for path in (item.refs("Softs", "Assets") + item.properties.get("PullsHard", []) +
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
                self._dereference(reads, package, path, "build")
            self._read_file(reads, package, properties.get("DependFile"))
            self._read_config(reads, "Prop", properties.get("DependKey"))
        elif item.kind == "Scout" and not properties.get("Early"):
            self._look_around(reads, package, properties)
        elif item.kind == "Caller" and properties.get("Loads"):
            self._dereference(reads, package, properties["Loads"], properties.get("Scope"))
        elif item.kind == "Banker":
            self._read_config(reads, "Prop", properties.get("TagKey"))
        elif item.kind == "World":
            for path in item.refs("Links"):
                self._dereference(reads, package, path)
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
        deps = {**self.save(package).deps, ("engine",): None}
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
        for item in self.saved(package):
            for path in self._saved_refs(item):
                target, inner, _, final = self.resolve(path)
                if inner and target != package and (not self._is_asked(path) or
                                                    self.value(("kept", path))):
                    edges.append((final, target))
        return edges

    def soft_edges(self, package):
        """The same of what may or may not be there: soft references, what was declared, and
        what was loaded by its name."""
        if self.is_omitted(package):
            return []
        paths = [*self.load(package).soft, *self.save(package).soft]
        for item in self.saved(package):
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
