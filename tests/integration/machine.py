"""Another machine for a child process: namespaces of its own, where these may be made."""
import ctypes
import os
import socket
import subprocess

NEW_MOUNTS, NEW_HOST, NEW_USER = 0x00020000, 0x04000000, 0x10000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
PROCESSORS = "/sys/devices/system/cpu/online"


def _call(name, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)


def _bind(source, target):
    _call("mount", source.encode(), target.encode(), None, ctypes.c_ulong(BIND), None)


def _separate():
    try:
        _call("unshare", NEW_MOUNTS | NEW_HOST)
    except OSError:
        _call("unshare", NEW_MOUNTS | NEW_HOST | NEW_USER)
    _call("mount", None, b"/", None, ctypes.c_ulong(RECURSIVE | PRIVATE), None)


class Machine:
    """With a name, a number of processors and a time zone that are not this one's."""

    def __init__(self, folder, zone="Asia/Kathmandu"):
        self.host, self.etc, self.online = "build-07", f"{folder}/etc", f"{folder}/online"
        os.makedirs(folder)
        with open(self.online, "w", encoding="utf-8") as file:
            file.write("0-6\n")
        zone = f"/usr/share/zoneinfo/{zone}"
        self.zone = zone if os.path.exists(zone) and os.path.lexists("/etc/localtime") else None
        if self.zone:
            subprocess.run(["cp", "-a", "/etc", self.etc], check=False, stderr=subprocess.DEVNULL)
            os.remove(f"{self.etc}/localtime")
            os.symlink(self.zone, f"{self.etc}/localtime")

    def enter(self):
        """In the child, before it runs."""
        _separate()
        socket.sethostname(self.host)
        _bind(self.online, PROCESSORS)
        if self.zone:
            _bind(self.etc, "/etc")

    def possible(self):
        try:
            return subprocess.run(["true"], preexec_fn=self.enter, check=False).returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False
