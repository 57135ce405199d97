# SPDX-License-Identifier: Apache-2.0
"""Processes for pawl that start with PyTorch and Triton imported: this one imports them once, without touching CUDA, and
forks. pawl starts it for references in Python; docs/adr/fork-server.md says why. Descriptor 3 is a socket of packets: a
request {"argv": [SCRIPT, WORD...]} with the descriptors of the log, the requests, the replies and the tensors, an answer
{} with the descriptor of the new process, or {"error": REASON}. A new process waits until pawl, which gives it limits of its
own, sends another packet. A request {"import": SCRIPT} without descriptors has it import what the script imports, while
pawl does other work; the answer is {}."""

import ast
import ctypes
import fcntl
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys

IMPORTED_ONCE = ("numpy", "torch", "triton")  # modules that take long, and leave CUDA alone until they are used
CUDA_NOT_INITIALIZED = 3
SET_PARENT_DEATH_SIGNAL = 1  # prctl
HIGH = 16  # above all descriptors that have a meaning


def names_imported(script, folders, seen):
    """The modules that a script imports anywhere, and those that its own modules import."""
    if script in seen or not os.path.isfile(script):
        return set()
    seen.add(script)
    with open(script, "rb") as file:
        tree = ast.parse(file.read())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    for name in list(names):
        for folder in folders:
            names |= names_imported(os.path.join(folder, name + ".py"), folders, seen)
    return names


def import_once(script):
    folders = [os.path.dirname(os.path.abspath(script)), os.path.dirname(os.path.abspath(__file__))]
    wanted = names_imported(script, folders, set())
    for name in IMPORTED_ONCE:
        if name in wanted and name not in sys.modules:
            try:
                importlib.import_module(name)
            except (ImportError, OSError):
                pass  # the script says so itself
    gc.collect()
    gc.freeze()  # pages stay shared


def cuda_is_untouched():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return True
    return driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) == CUDA_NOT_INITIALIZED


def become(argv, descriptors, parent):
    """In the child: what `python3 SCRIPT WORD...` would be."""
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    os.setpgid(0, 0)
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH) for fd in descriptors]
    for source, places in zip(high, ((1, 2), (3,), (4,), (5,))):
        for place in places:
            os.dup2(source, place)
    for fd in high + [fd for fd in descriptors if fd > 5]:
        os.close(fd)
    sys.argv = list(argv)
    sys.path[0] = os.path.dirname(os.path.abspath(argv[0]))
    code = 0
    try:
        runpy.run_path(argv[0], run_name="__main__")
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


def answer(request, descriptors):
    """(the answer, descriptors to send, what lets the new process go on when it is written to)."""
    argv = request["argv"]
    try:
        import_once(argv[0])
    except (OSError, SyntaxError) as error:
        return {"error": str(error)}, [], None
    if not cuda_is_untouched():
        return {"error": "an import initialises CUDA"}, [], None
    (gate, opened), parent, pid = os.pipe(), os.getpid(), os.fork()
    if pid == 0:
        os.close(opened)
        if not os.read(gate, 1):
            os._exit(1)
        os.close(gate)
        become(argv, descriptors, parent)
    os.close(gate)
    return {}, [os.pidfd_open(pid)], opened


def import_ahead(script):
    try:
        import_once(script)
    except (OSError, SyntaxError):
        pass  # the request that forks says so
    return {}, [], None


def main():
    control = socket.socket(fileno=fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, HIGH))
    os.close(3)
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 4)
        if not packet:
            return
        request = json.loads(packet)
        reply, sent, opened = import_ahead(request["import"]) if "import" in request else answer(request, descriptors)
        socket.send_fds(control, [json.dumps(reply).encode()], sent)
        for fd in [*descriptors, *sent]:
            os.close(fd)
        if opened is not None:
            if not control.recv(1 << 16):
                return
            os.write(opened, b"g")
            os.close(opened)


if __name__ == "__main__":
    main()
