# SPDX-License-Identifier: Apache-2.0
"""Forks processes for pawl that have PyTorch and Triton imported: this process imports them once, without touching CUDA.
docs/adr/fork-server.md says why. It never runs or reads a file of the repository, because nothing keeps it apart.

    pawl_fork.py LIBRARY [TREE...]

Descriptor 3 is a socket of packets. The first answer, and that to each request, is "ready" or a reason. A request is
{"argv": [PROGRAM, SCRIPT, WORD...], "environment": ["NAME=VALUE"]} with descriptors: a file that describes the sandbox, and
those of the new process. The library puts the new process into the sandbox; then the process runs the script from its
first line. If the folder of the script has a module with the name of an imported one, the process starts the program."""

import ctypes
import fcntl
import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import runpy
import signal
import site
import socket
import sys
import tempfile

IMPORTED_ONCE = ("numpy", "torch", "triton")  # modules that take long, and leave CUDA alone until they are used
CUDA_NOT_INITIALIZED = 3
NOT_DUMPABLE = (4, 0, 0, 0, 0)  # prctl: no other process of the user reads or changes our memory
HIGH = 16  # above all descriptors that have a meaning
MOST_DESCRIPTORS = 16
CUSTOM = ("sitecustomize", "usercustomize")
FINDERS = (importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, importlib.machinery.PathFinder)


def is_below(path, folder):
    return os.path.commonpath((path, folder)) == folder


def is_apart(folder, trees):
    """Whether a change of the repository cannot put a module there. It cannot change a virtual environment that pawl takes."""
    real, own = os.path.realpath(folder), os.path.realpath(sys.prefix)
    return all(not is_below(real, tree) and not is_below(tree, real) or is_below(own, tree) and is_below(real, own)
               for tree in trees)


def add_installation(trees):
    """Adds the installed packages, but no folder that a change can fill, and runs no file that customises the interpreter: an
    editable installation may find it in the repository. Returns the path and the finders of a process that starts alone."""
    for name in CUSTOM:
        sys.modules[name] = sys  # site takes it for the imported file
    site.main()
    for name in CUSTOM:
        del sys.modules[name]
    path, finders = list(sys.path), list(sys.meta_path)
    sys.path[:] = [folder for folder in path if is_apart(folder, trees)]
    sys.meta_path[:] = [finder for finder in finders if finder in FINDERS]
    return path, finders


def keep_bytecode(trees):
    """An installation without bytecode that nobody may write costs a second or more at each import. Then the user's cache keeps
    the bytecode, which no sandbox can write. A cache in the repository keeps none: Python believes bytecode without a look at
    the source if its header says so, and a change may bring some."""
    found = importlib.util.find_spec("torch")
    if not found or not found.origin or os.path.exists(importlib.util.cache_from_source(found.origin)):
        return
    if sys.dont_write_bytecode or not os.access(os.path.dirname(found.origin), os.W_OK):
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pawl", "bytecode")
        if not any(is_below(os.path.realpath(cache), tree) for tree in trees):
            sys.dont_write_bytecode, sys.pycache_prefix = False, cache


def import_once(trees):
    gc.disable()  # it would look at the same objects again and again
    given = sys.dont_write_bytecode, sys.pycache_prefix
    keep_bytecode(trees)
    for name in IMPORTED_ONCE:
        try:
            importlib.import_module(name)
        except (ImportError, OSError):
            pass  # the script says so itself
    sys.dont_write_bytecode, sys.pycache_prefix = given  # the scripts' own
    gc.freeze()  # pages stay shared
    gc.enable()


def build_helpers(folder):
    """In a child, which ends: Triton compiles the C helpers of its driver into the cache."""
    os.environ["TRITON_CACHE_DIR"] = folder
    try:
        importlib.import_module("triton.backends.nvidia.driver").CudaUtils()
    except BaseException:
        pass  # each process builds them itself
    os._exit(0)


def know_triton():
    """Saves each process half a second of Triton: the hash of the installation stays in memory. Returns the compiled helpers
    by their paths in Triton's cache. No code of a repository takes part."""
    if "triton" not in sys.modules:
        return {}
    files = {}
    with tempfile.TemporaryDirectory(prefix="pawl-triton-") as folder:
        pid = os.fork()
        if pid == 0:
            build_helpers(folder)
        for place in ("triton.runtime.cache", "triton.compiler.compiler"):  # its place in newer versions, then in older ones
            try:
                importlib.import_module(place).triton_key()
                break
            except (ImportError, AttributeError, OSError):
                pass
        os.waitpid(pid, 0)
        for path, _, names in os.walk(folder):
            for name in names:
                if not name.endswith(".lock"):
                    with open(os.path.join(path, name), "rb") as file:
                        files[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return files


def fill_cache(files):
    """Names the cache too: Triton took the home of the server when it was imported, which a sandbox does not have."""
    home = os.environ.setdefault("TRITON_HOME", os.environ.get("HOME", "/"))
    cache = os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(home, ".triton", "cache"))
    for name, content in files.items():
        path = os.path.join(cache, name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
        except OSError:
            pass  # it is there, or Triton says so itself


def cuda_is_untouched():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return True
    return driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) == CUDA_NOT_INITIALIZED


def threads():
    return len(os.listdir("/proc/self/task"))


def why_not(control):
    """Why no process can be forked; "ready" if one can."""
    if not cuda_is_untouched():
        return "an import initialises CUDA"
    left = {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, control.fileno()}
    for fd in left:
        try:
            os.fstat(fd)
        except OSError:
            continue  # that of the listing
        return "an import keeps '%s' open" % os.readlink("/proc/self/fd/%d" % fd)
    return "ready"


def shadows(folder):
    """Whether the folder has a module of a name that is imported already."""
    try:
        names = {name.partition(".")[0] for name in os.listdir(folder)}
    except OSError:
        return False
    return not names.isdisjoint({name.partition(".")[0] for name in sys.modules} | set(CUSTOM))


def become(argv, path, finders, files):
    """Runs the script as the program would."""
    known = {os.path.abspath(folder) for folder in sys.path}
    added = [os.path.abspath(folder) for folder in os.environ.get("PYTHONPATH", "").split(":") if folder]
    first = [os.path.dirname(os.path.abspath(argv[1])), *added]
    if any(shadows(folder) for folder in first if folder not in known):
        os.execve(argv[0], argv, os.environ)
    sys.argv = argv[1:]
    sys.path[:] = first + [folder for folder in path[1:] if folder not in added]
    sys.meta_path[:] = finders
    site.execsitecustomize()
    if site.ENABLE_USER_SITE:
        site.execusercustomize()
    tempfile.tempdir = None
    fill_cache(files)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    code = 0
    try:
        runpy.run_path(argv[1], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the system frees the GPU's memory faster than the libraries do


def found(library, request, descriptors, gate, state):
    """In the first child: makes the sandbox, and in it the new process, and ends. pawl is their parent then."""
    packet, *others = descriptors
    if not library.pawl_forked_read(packet, (ctypes.c_int * len(others))(*others), len(others)):
        os._exit(1)
    library.pawl_forked_found(gate)
    try:
        pid = os.fork()
    except OSError:
        pid = -1
    if pid:
        library.pawl_forked_tell(pid)
    library.pawl_forked_settle(gate)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)  # as Python does at its start
    os.environ.clear()
    os.environ.update(item.split("=", 1) for item in request["environment"])
    become(request["argv"], *state)


def answer(library, request, descriptors, state, control):
    gate, opened = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(opened)
        control.close()
        found(library, request, descriptors, gate, state)
    alone = threads() == 1  # an import's threads have no place in the child; OpenBLAS ends its own before a fork
    os.waitpid(pid, 0)
    if alone:
        os.write(opened, b"gg")  # for the new process, and process 1 of its sandbox
    os.close(gate)
    os.close(opened)
    return "ready" if alone else "an import has started threads"


def main():
    control = socket.socket(fileno=fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, HIGH))
    os.close(3)
    ctypes.CDLL(None).prctl(*NOT_DUMPABLE)
    library = ctypes.CDLL(sys.argv[1])
    library.pawl_forked_read.restype = ctypes.c_bool
    trees = [os.path.realpath(tree) for tree in sys.argv[2:]]
    path, finders = add_installation(trees)
    import_once(trees)
    state = path, finders, know_triton()
    control.send(why_not(control).encode())
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 1 << 20, MOST_DESCRIPTORS)
        if not packet:
            return
        control.send(answer(library, json.loads(packet), descriptors, state, control).encode())
        for fd in descriptors:
            os.close(fd)


if __name__ == "__main__":
    main()
