"""Random edits of a project. Each kind is a function that returns operations (see world.py), or
None where the project offers nothing to edit in that way."""
import json

import generate
from generate import READ_FILES, dump, number, order_dependent, png
from model import COOK, Graph, extension, package_name, split
from settings import Settings
from world import Impossible


class Editor(Settings):
    def __init__(self, rng, inputs):
        self.rng = rng
        self.inputs = inputs
        self.serial = 0
        self.history = {}  # path -> earlier contents
        self.graph = Graph(inputs)

    @property
    def files(self):
        return self.inputs.files

    # ---- helpers ----

    def choose(self, paths):
        paths = sorted(paths)
        return self.rng.choice(paths) if paths else None

    def sources(self, *kinds):
        return [path for path in self.graph.packages.values()
                if not kinds or extension(path) in kinds]

    def sound_assets(self):
        """Those that have the properties of Node."""
        return [path for name, path in self.graph.packages.items()
                if path.endswith(".asset") and not self.graph.is_broken(name) and
                not self.graph.objects(name)[0].class_name.startswith(COOK)]

    def how(self):
        return self.rng.choice(("replace", "inplace"))

    def write(self, path, data, how=None):
        return [("write", path, data, how or self.how())]

    def assets(self):
        return generate.Assets(self.rng, sorted(self.graph.packages), generate.dangling_names())

    def new_name(self):
        self.serial += 1
        return f"E{self.serial}"

    def referenced(self):
        """Main files of packages that something refers to."""
        found = set()
        for name in self.graph.packages:
            for item in self.graph.objects(name) or ():
                paths = item.refs("Links", "Softs", "Editor", "Feeds", "Hidden")
                found.update(self.graph.resolve(path)[0] for path in paths)
        return [self.graph.packages[name] for name in found if name]

    # ---- edit ----

    def edit_value(self):
        path = self.choose(self.sources())
        return path and self.write(path, self.other_content(path))

    def other_content(self, path):
        """The file with other values in it."""
        kind = extension(path)
        if kind == ".png":
            return png(self.rng, self.rng.choice((4, 4, 8)))
        if kind == ".bin":
            return generate.buffer(self.rng)
        if kind == ".gltf":
            fresh = generate.scene(self.rng, path, self.files)
            return fresh[path]
        if kind != ".asset":
            return self.other_number(self.files[path])
        if self.graph.is_broken(package_name(path)):
            return dump(self.assets().asset([]))
        document = json.loads(self.files[path])
        if document["objects"][0]["class"].endswith("Label"):
            return dump(self.assets().label())
        properties = self.rng.choice(document["objects"])["properties"]
        properties["Value"] = number(self.rng)
        if self.rng.random() < 0.3:
            properties["Text"] = "longer " * self.rng.randint(0, 3)
        return dump(document)

    def other_number(self, data):
        """Another last number, of as many digits."""
        end = len(data)
        while end > 0 and not data[end - 1:end].isdigit():
            end -= 1
        if data[end - 1:end] == b"0" and data[end - 2:end - 1] == b".":
            end -= 2  # "123456.0": not the fraction
        start = end
        while start > 0 and data[start - 1:start].isdigit():
            start -= 1
        digits = "".join(self.rng.choice("123456789") for _ in range(end - start))
        return data[:start] + digits.encode() + data[end:]

    def edit_references(self):
        path = self.choose(self.sound_assets())
        document = json.loads(self.files[path])
        item = self.rng.choice(document["objects"])
        name = item["class"].rpartition(".")[2]
        fresh = self.assets().properties(name, sorted(self.graph.packages))
        for key in fresh.keys() - {"Value", "Text", "Part"}:
            item["properties"][key] = fresh[key]
        return self.write(path, dump(document))

    def edit_objects(self):
        """Another class, another name, one object more or less."""
        path = self.choose(self.sound_assets())
        document = json.loads(self.files[path])
        objects = document["objects"]
        taken = [item["name"] for item in objects]
        made = self.assets().object
        earlier = sorted(self.graph.packages)
        choice = self.rng.randrange(4)
        if choice == 0:
            objects[0] = made("Main", earlier)
        elif choice == 1 and len(objects) > 1:
            objects.pop()
        elif choice == 2 and "Sub0" not in taken and taken[0] == "Main":
            objects.append(made("Sub0", earlier, "Main"))
        elif "Sub1" not in taken:
            objects.append(made("Sub1", earlier))
        else:
            objects[-1]["name"] = "Sub1" if objects[-1]["name"] != "Sub1" else "Sub9"
            if len({item["name"] for item in objects}) < len(objects) or len(objects) == 1:
                return None
        return self.write(path, dump(document))

    def break_file(self):
        path = self.choose(self.sources(".asset", ".png", ".note", ".gltf"))
        data = self.files[path]
        if extension(path) == ".note":
            return self.write(path, b"broken" + data)
        return self.write(path, data[:len(data) // 2])

    def fail_hook(self):
        path = self.choose(self.sound_assets())
        document = json.loads(self.files[path])
        properties = self.rng.choice(document["objects"])["properties"]
        if not properties.pop("Fail", None):
            properties["Fail"] = self.rng.choice(("load", "save", "save"))
        return self.write(path, dump(document))

    # ---- the same size and the same time ----

    def same_size_same_time(self):
        path = self.choose(self.files)
        if extension(path) == ".png":
            side = 4 if len(self.files[path]) < 200 else 8
            data = png(self.rng, side)
        elif extension(path) in (".bin", ".gltf"):
            data = self.other_content(path)
        else:
            data = self.other_number(self.files[path])
        if len(data) != len(self.files[path]) or path.endswith(".ini"):
            return None
        return self.write(path, data,
                          self.rng.choice(("same_time_replace", "same_time_inplace")))

    def swap(self):
        """Two files change places; each keeps its inode and its time."""
        paths = sorted(self.sources(".png") or [])
        if self.rng.random() < 0.5 or len(paths) < 2:
            paths = sorted(self.sound_assets())
        if len(paths) < 2:
            return None
        first, second = self.rng.sample(paths, 2)
        between = split(first)[0] + "/.between"
        return [("rename", first, between), ("rename", second, first),
                ("rename", between, second)]

    # ---- nothing ----

    def touch(self):
        return [("touch", self.choose(self.files))]

    def rewrite(self):
        path = self.choose(self.files)
        return self.write(path, self.files[path])

    # ---- add, delete, rename ----

    def add(self):
        folder = self.rng.choice(generate.FOLDERS + ("Content/New/Folder", "Packs"))
        name = self.new_name()
        kind = self.rng.choice((".asset", ".asset", ".asset", ".png", ".note", ".gltf"))
        path = f"{folder}/{name}{kind}"
        more = []
        if kind == ".png":
            data = png(self.rng)
        elif kind == ".gltf":
            fresh = generate.scene(self.rng, path, self.files)
            data = fresh.pop(path)
            more = [("write", other, fresh[other], "replace") for other in fresh]
        elif kind == ".note":
            data = generate.note(self.rng, self.rng.choice(READ_FILES))
        else:
            data = dump(self.assets().asset(sorted(self.graph.packages)))
        operations = self.write(path, data)
        return operations + more + self.link_to(package_name(path))

    def link_to(self, name):
        """Often, let some asset refer to the package."""
        path = self.choose(self.sound_assets())
        if not path or self.rng.random() < 0.3:
            return []
        document = json.loads(self.files[path])
        properties = document["objects"][0]["properties"]
        properties.setdefault("Links", []).append({"$ref": name})
        return self.write(path, dump(document))

    def add_awaited(self):
        """A package that references wait for; or one whose name is longer than that of
        another, so that references to an object of the other now mean it."""
        names = [name for name in generate.dangling_names() if name not in self.graph.packages]
        longer = [name + suffix for name in self.graph.packages
                  for suffix in (".Main", ".Sub1") if not extension(name)]
        names = [self.choose(names), self.choose(longer)]
        name = names[self.rng.random() < 0.3] or names[1]
        if not name or name in self.graph.packages:
            return None
        path = "Content" + name[len("/Game"):] if name.startswith("/Game") else \
            "Packs" + name[len("/Pack"):]
        if extension(name) == ".png":
            return self.write(path, png(self.rng))
        if extension(name) == ".note":
            return self.write(path, generate.note(self.rng, None))
        return self.write(path + ".asset", dump(self.assets().asset([])))

    def removal(self, path):
        operations = [("remove", path)]
        if path + ".cook" in self.files and self.rng.random() < 0.7:
            operations.append(("remove", path + ".cook"))
        return operations

    def delete(self):
        path = self.choose(self.sources())
        return path and self.removal(path)

    def delete_referenced(self):
        path = self.choose(self.referenced())
        return path and self.removal(path)

    def rename(self):
        path = self.choose(self.sources())
        folder, kind = split(path)[0], extension(path)
        if self.rng.random() < 0.4:
            folder = self.rng.choice(generate.FOLDERS)
        new = f"{folder}/{self.new_name()}{kind}"
        operations = [("rename", path, new)]
        if path + ".cook" in self.files and self.rng.random() < 0.7:
            operations.append(("rename", path + ".cook", new + ".cook"))
        return operations

    def rename_back(self):
        """To the name of a package that is gone."""
        gone = [path for path in self.history if package_name(path) and path not in self.files]
        new = self.choose(gone)
        path = new and self.choose(self.sources(extension(new)))
        return path and [("rename", path, new)]

    def move_with_redirector(self):
        """As an editor moves an asset."""
        path = self.choose(self.sound_assets())
        new = f"{self.rng.choice(generate.FOLDERS)}/{self.new_name()}.asset"
        name = self.graph.objects(package_name(path))[0].name
        target = f"{package_name(new)}.{name}" if self.rng.random() < 0.5 else package_name(new)
        return [("rename", path, new), ("write", path, generate.redirector(target), "replace")]

    def claim_twice(self):
        """A second file for a package that is there: "Icon.png" and "Icon.png.asset"."""
        path = self.choose(self.sources(".png", ".note"))
        return path and self.write(path + ".asset", dump(self.assets().asset([])))

    def rename_folder(self):
        old = self.choose({split(path)[0] for path in self.sources()} - {"Content", "Packs"})
        if not old:
            return None
        new = f"{split(old)[0]}/{self.new_name()}"
        return [("rename_folder", old, new)]

    def restore(self):
        """An earlier content, of a file that changed or is gone."""
        earlier = [(path, data) for path, contents in self.history.items() for data in contents
                   if self.files.get(path) != data]
        if not earlier:
            return None
        path, data = self.rng.choice(sorted(earlier))
        return self.write(path, data)

    # ---- side files ----

    def side_content(self, path):
        if self.rng.random() < 0.05:
            return b"{ broken"
        if extension(path) == ".png":
            return dump({"MaxSize": self.rng.choice((0, 2, 4))})
        if extension(path) == ".asset":
            return dump({"Value": number(self.rng)})
        return dump({})

    def side_add(self):
        path = self.choose(p for p in self.sources() if p + ".cook" not in self.files)
        return path and self.write(path + ".cook", self.side_content(path))

    def side_change(self):
        path = self.choose(p for p in self.sources() if p + ".cook" in self.files)
        return path and self.write(path + ".cook", self.side_content(path))

    def side_remove(self):
        path = self.choose(p for p in self.sources() if p + ".cook" in self.files)
        return path and [("remove", path + ".cook")]

    # ---- files that class code reads ----

    def read_paths(self):
        """Files that something reads, there or not; not packages and side files."""
        found = set()
        for name in self.graph.packages:
            for reads in (self.graph.load(name), self.graph.save(name)):
                found.update(dep[1] for dep in reads.deps if dep[0] == "file")
        return {path for path in found if not package_name(path) and not path.endswith(".cook")}

    def file_change(self):
        path = self.choose(path for path in self.read_paths() if path in self.files)
        if path and path.endswith(".bin"):
            return self.write(path, generate.buffer(self.rng))
        return path and self.write(path, self.other_number(self.files[path]) + b"\n")

    def file_appear(self):
        path = self.choose(path for path in self.read_paths() if path not in self.files)
        if path and extension(path) == ".glsl":
            return self.write(path, generate.shader_include(self.rng, []))
        if path and path.endswith(".bin"):
            return self.write(path, generate.buffer(self.rng))
        return path and self.write(path, f"file {number(self.rng)}\n".encode())

    def file_vanish(self):
        path = self.choose(path for path in self.read_paths() if path in self.files)
        return path and [("remove", path)]

    # ---- one edit ----

    def attempt(self, kind):
        """Operations of that kind that keep the project deterministic, or None."""
        operations = getattr(self, kind)()
        if not operations:
            return None
        created = [op[2] for op in operations if op[0].startswith("rename")]
        if any(path in self.files for path in created) and kind != "swap":
            return None
        try:
            inputs = self.inputs.after(operations)
        except Impossible:
            return None
        graph = Graph(inputs)
        if order_dependent(graph):
            return None
        self.remember(inputs.files)
        self.inputs, self.graph = inputs, graph
        return operations

    def remember(self, files):
        for path, data in self.files.items():
            if files.get(path) != data and not path.endswith(".ini"):
                contents = self.history.setdefault(path, [])
                if data not in contents:
                    contents.append(data)

    def random_edit(self, without=()):
        """(kind, operations), of none of the kinds `without`."""
        kinds = {kind: weight for kind, weight in WEIGHTS.items() if kind not in without}
        while True:
            kind = self.rng.choices(list(kinds), kinds.values())[0]
            operations = self.attempt(kind)
            if operations:
                return kind, operations


WEIGHTS = {
    # sources
    "edit_value": 12, "edit_references": 7, "edit_objects": 5, "break_file": 3, "fail_hook": 3,
    "same_size_same_time": 9, "swap": 3, "touch": 2, "rewrite": 2,
    "add": 6, "add_awaited": 5, "delete": 4, "delete_referenced": 5,
    "rename": 5, "rename_back": 4, "rename_folder": 2, "restore": 9, "claim_twice": 1,
    "move_with_redirector": 3, "side_add": 4, "side_change": 4, "side_remove": 3,
    # files and folders that class code reads
    "file_change": 4, "file_appear": 4, "file_vanish": 3,
    # settings
    "config_default": 4, "config_target": 4, "config_project": 3, "config_override": 5,
    "config_comment": 2, "config_saved": 4, "config_never_skip": 3, "redirect": 5,
    "plugin_same_code": 5, "plugin_version": 7, "environment": 3, "command_line": 3,
    # the root set, and where it goes
    "root": 8, "label": 8, "chunks": 5,
}
