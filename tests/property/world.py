"""The project on disk, and its copy in memory.

All source files are held as `files`, path to bytes, so that the model and the generator never read
the disk. An edit is a list of operations:

    ("write", path, bytes, how)      how: see HOWS
    ("remove", path)
    ("rename", old, new)             a file, which keeps its inode and its time
    ("rename_folder", old, new)
    ("touch", path)                  other times, same bytes
    ("plugin", variant)              the plugin is built anew

`apply` of the same operations to a dictionary says what the files would be.
"""
import os
import shutil

PLUGIN = "Plugins/prop.so"

# "replace" and "inplace" give the file a new time. The "same_time" ones put the old modification
# time back, as a version control system or an archive may do.
HOWS = ("replace", "inplace", "same_time_replace", "same_time_inplace")


def apply(files, operations):
    """The files after the operations; `files` itself stays."""
    files = dict(files)
    for operation in operations:
        kind = operation[0]
        if kind == "write":
            files[operation[1]] = operation[2]
        elif kind == "remove":
            del files[operation[1]]
        elif kind == "rename":
            files[operation[2]] = files.pop(operation[1])
        elif kind == "rename_folder":
            old, new = operation[1] + "/", operation[2] + "/"
            moved = [path for path in files if path.startswith(old)]
            for path in moved:
                files[new + path[len(old):]] = files.pop(path)
    return files


class World:
    def __init__(self, folder, plugins):
        self.folder = folder
        self.plugins = plugins
        self.files = {}
        self.variant = None
        self._temporary = 0

    def _path(self, path):
        return os.path.join(self.folder, path)

    def perform(self, operations):
        self.files = apply(self.files, operations)
        for operation in operations:
            getattr(self, "_" + operation[0])(*operation[1:])

    def _write(self, path, data, how):
        path = self._path(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
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
        # A name that no reader knows: the registry never sees it.
        self._temporary += 1
        temporary = os.path.join(os.path.dirname(path), f".tmp{self._temporary}")
        with open(temporary, "wb") as file:
            file.write(data)
        if times:
            os.utime(temporary, ns=times)
        os.replace(temporary, path)

    def _remove(self, path):
        os.remove(self._path(path))

    def _rename(self, old, new):
        os.makedirs(os.path.dirname(self._path(new)), exist_ok=True)
        os.rename(self._path(old), self._path(new))

    def _rename_folder(self, old, new):
        os.makedirs(os.path.dirname(self._path(new)), exist_ok=True)
        os.rename(self._path(old), self._path(new))

    def _touch(self, path):
        os.utime(self._path(path))

    def _plugin(self, variant):
        """A linker replaces its output, it does not write into the mapped file."""
        self.variant = variant
        target = self._path(PLUGIN)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(self.plugins, f"prop_{variant}.so"), target + ".new")
        os.replace(target + ".new", target)

    def copy_to(self, folder):
        """The same project without its history: sources written from memory, no Saved/."""
        copy = World(folder, self.plugins)
        roots = ["Content", "Packs"]
        for root in roots:
            os.makedirs(os.path.join(folder, root), exist_ok=True)
        copy.perform([("write", path, data, "replace") for path, data in self.files.items()] +
                     [("plugin", self.variant)])
        return copy

    def check(self):
        """The disk holds what memory says; a fault of the test itself otherwise."""
        for path, data in self.files.items():
            with open(self._path(path), "rb") as file:
                if file.read() != data:
                    raise AssertionError(f"{path} on disk is not what the test wrote")
