"""The project on disk, and its copy in memory.

All that a cook may look at is held as `Inputs`, so that the model and the generator never read
the disk. An edit is a list of operations:

    ("write", path, bytes, how)        how: see HOWS
    ("remove", path)                   and its folder, when that was the last file in it
    ("rename", old, new)               a file, which keeps its inode and its time
    ("rename_folder", old, new)
    ("touch", path)                    other times, same bytes
    ("plugin", variant)                the plugin is built anew
    ("environment", name, value)       of the next cooks; None: not set
    ("arguments", tuple)               tokens of the next cooks' command lines
    ("overrides", tuple)               (Section.Key, value) pairs, for --ini of the next cooks

`Inputs.after` the same operations says what the inputs would be, and raises Impossible where
they do not fit, as when what an operation needs was made by another that is left out.
"""
import os
import shutil

PLUGIN = "Plugins/prop.so"
ROOTS = ("Content", "Packs")

# "replace" and "inplace" give the file a new time. The "same_time" ones put the old
# modification time back, as a version control system or an archive may do.
HOWS = ("replace", "inplace", "same_time_replace", "same_time_inplace")


class Impossible(Exception):
    """An operation on what is not there, or in the way of what is."""


class Inputs:
    """Never changed; `after` makes another."""

    def __init__(self, target, files=None, variant="base", environment=None, arguments=(),
                 overrides=()):
        self.target = target
        self.files = files or {}  # path -> bytes
        self.variant = variant    # of the plugin
        self.environment = environment or {}
        self.arguments = arguments
        self.overrides = overrides

    def for_target(self, target):
        return Inputs(target, self.files, self.variant, self.environment, self.arguments,
                      self.overrides)

    def after(self, operations):
        changed = Inputs(self.target, dict(self.files), self.variant, dict(self.environment),
                         self.arguments, self.overrides)
        for kind, *values in operations:
            changed._apply(kind, values)
        return changed

    def _apply(self, kind, values):
        if kind in ("remove", "rename", "touch") and values[0] not in self.files:
            raise Impossible(f"{kind} {values[0]}")
        if kind == "write":
            self.files[values[0]] = values[1]
        elif kind == "remove":
            del self.files[values[0]]
        elif kind == "rename":
            if values[1] in self.files:
                raise Impossible(f"rename to {values[1]}")
            self.files[values[1]] = self.files.pop(values[0])
        elif kind == "rename_folder":
            self._rename_folder(values[0] + "/", values[1] + "/")
        elif kind == "plugin":
            self.variant = values[0]
        elif kind == "environment":
            self.environment[values[0]] = values[1]
        elif kind in ("arguments", "overrides"):
            setattr(self, kind, values[0])

    def _rename_folder(self, old, new):
        moved = [path for path in self.files if path.startswith(old)]
        if not moved or any(path.startswith(new) for path in self.files):
            raise Impossible(f"rename {old} to {new}")
        for path in moved:
            self.files[new + path[len(old):]] = self.files.pop(path)


class World:
    """`mutant` names a plugin with a planted fault, used instead of each variant."""

    def __init__(self, folder, plugins, target, mutant=None):
        self.folder = folder
        self.plugins = plugins
        self.mutant = mutant
        self.inputs = Inputs(target)
        self._temporary = 0
        for root in ROOTS:
            os.makedirs(self._path(root), exist_ok=True)

    def _path(self, path):
        return os.path.join(self.folder, path)

    def perform(self, operations):
        self.inputs = self.inputs.after(operations)
        for kind, *values in operations:
            getattr(self, "_" + kind)(*values)

    def _make_room(self, path):
        os.makedirs(os.path.dirname(self._path(path)), exist_ok=True)

    def _prune(self, folder):
        """Remove the folder if it is empty, and those above; memory knows of no empty ones."""
        while folder and folder not in ROOTS and not os.listdir(self._path(folder)):
            os.rmdir(self._path(folder))
            folder = os.path.dirname(folder)

    def _write(self, path, data, how):
        self._make_room(path)
        path = self._path(path)
        times = None
        if how.startswith("same_time") and os.path.exists(path):
            stat = os.stat(path)
            times = (stat.st_atime_ns, stat.st_mtime_ns)
        if how.endswith("inplace") and os.path.exists(path):
            with open(path, "r+b") as file:
                file.write(data)
                file.truncate()
            if times:
                os.utime(path, ns=times)
            return
        self._temporary += 1
        temporary = os.path.join(os.path.dirname(path), f".tmp{self._temporary}")
        with open(temporary, "wb") as file:
            file.write(data)
        if times:
            os.utime(temporary, ns=times)
        os.replace(temporary, path)

    def _remove(self, path):
        os.remove(self._path(path))
        self._prune(os.path.dirname(path))

    def _rename(self, old, new):
        self._make_room(new)
        os.rename(self._path(old), self._path(new))
        self._prune(os.path.dirname(old))

    def _rename_folder(self, old, new):
        self._rename(old, new)

    def _touch(self, path):
        os.utime(self._path(path))

    def _plugin(self, variant):
        """A linker replaces its output, it does not write into the mapped file."""
        self._make_room(PLUGIN)
        target = self._path(PLUGIN)
        name = f"prop_mutant_{self.mutant}.so" if self.mutant else f"prop_{variant}.so"
        shutil.copyfile(os.path.join(self.plugins, name), target + ".new")
        os.replace(target + ".new", target)

    def _environment(self, name, value):
        """Cooks are started with what `inputs` says."""

    def _arguments(self, arguments):
        """As for the environment."""

    def _overrides(self, overrides):
        """The same."""

    def copy_to(self, folder):
        """The same project without its history: sources written from memory, no Saved/."""
        inputs = self.inputs
        copy = World(folder, self.plugins, inputs.target, self.mutant)
        copy.perform([("write", path, data, "replace") for path, data in inputs.files.items()] +
                     [("plugin", inputs.variant), ("arguments", inputs.arguments),
                      ("overrides", inputs.overrides)] +
                     [("environment", *item) for item in inputs.environment.items()])
        return copy

    def check(self):
        """The disk holds what memory says; a fault of the test itself otherwise."""
        for path, data in self.inputs.files.items():
            with open(self._path(path), "rb") as file:
                if file.read() != data:
                    raise AssertionError(f"{path} on disk is not what the test wrote")
