# SPDX-License-Identifier: Apache-2.0
"""The same as probe.c in Python: a kernel of the worker protocol, or with the word `command` a program that ends."""

import os
import pathlib
import re
import sys
import zlib

FILES = ["/proc/self/limits", "/proc/self/cgroup", "/proc/self/uid_map", "/proc/self/comm", "/proc/self/oom_score_adj",
         "/proc/net/dev", "/proc/sysvipc/shm"]
FOLDERS = [".", "..", "/", "kernels", os.environ.get("HOME", "/"), "/tmp", "/dev/shm", "/dev/pts", "/proc/self/fd"]
PLACES = ["pawl.yaml", "kernels/probe.py", "data/table.bin", ".git", ".pawl", sys.executable, __file__]


def words(value):
    """One word; a long one as its hash and its end."""
    text = re.sub(r"[^!-~]|[;=]", "_", str(value))
    return text if len(text) < 40 else f"{zlib.crc32(text.encode())}:{text[-24:]}"


def facts():
    yield "cwd", os.getcwd()
    yield "source", __file__
    yield "program", sys.executable
    for name, values in (("arguments", sys.argv), ("path", sys.path), ("modules", sorted(sys.modules))):
        yield from ((f"{name}.{i}", value) for i, value in enumerate(values))
    yield from ((f"environment.{name}", value) for name, value in os.environ.items())
    yield "environment", " ".join(os.environ)
    for place in PLACES + FOLDERS:
        try:
            info = os.stat(place)
        except OSError:
            yield f"{place}.stat", "none"
            continue
        for name in ("st_dev", "st_ino", "st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_mtime_ns", "st_ctime_ns", "st_atime_ns"):
            yield f"{place}.{name}", getattr(info, name)
    for folder in FOLDERS:
        names = os.listdir(folder) if os.access(folder, os.R_OK) else []
        yield f"{folder}.order", " ".join(names)
        yield f"{folder}.names", " ".join(sorted(names))
    for file in FILES:
        yield file, pathlib.Path(file).read_text() if os.access(file, os.R_OK) else "none"
    for file, rows in (("/proc/self/stat", None), ("/proc/self/status", "\n")):
        yield from ((f"{file}.{i}", row) for i, row in enumerate(pathlib.Path(file).read_text().split(rows)))
    for i, row in enumerate(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()):
        yield f"mount.{i}", row.split(" ", 3)[3]
    mapped = [row.split()[5] for row in pathlib.Path("/proc/self/maps").read_text().splitlines() if len(row.split()) > 5]
    yield "maps", " ".join(mapped)
    yield "process", os.getpid()
    yield "parent", os.getppid()
    yield "cpus", sorted(os.sched_getaffinity(0))
    yield "address", id(facts)


def tell():
    version = pathlib.Path("kernels/version.h").read_text().split()[-1]
    said = "".join(f"{words(name)}={words(value)};" for name, value in facts())
    return f"version={version};" + said


def serve():
    import pawl_protocol

    class Probe(pawl_protocol.Kernel):
        name, operator = "probe", "scale"
        calls = 0

        def call(self, tensors, shape):
            tensors["y"].write([2 * x for x in tensors["x"].values()])
            if not self.calls:
                print(tell(), flush=True)
            self.calls += 1

    pawl_protocol.serve(Probe())


if sys.argv[1:2] == ["command"]:
    print(tell(), flush=True)
else:
    serve()
