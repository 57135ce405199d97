#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how `pawl import` writes one run of many points to PostgreSQL, over a connection that adds a millisecond to each
way. Counts the round trips: the times that the server speaks after pawl has. Starts a server of its own.

usage: postgresql.py [POINTS] PAWL...    each PAWL is a program to compare, in turns, each with a new database
"""
import importlib.util
import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
DELAY, PORT = 0.001, 5432


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Proxy:
    """Forwards the connections of a socket to the server, each piece after the delay."""

    def __init__(self, folder, target):
        self.target, self.turns, self.delay = target, 0, DELAY
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(f"{folder}/.s.PGSQL.{PORT}")
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            threading.Thread(target=self.forward, args=(client, server), daemon=True).start()

    def forward(self, client, server):
        spoke = None
        while True:
            for source in select.select([client, server], [], [])[0]:
                piece = source.recv(1 << 20)
                if not piece:
                    client.close()
                    server.close()
                    return
                self.turns += source is server and spoke is client
                spoke = source
                time.sleep(self.delay)
                (server if source is client else client).sendall(piece)


def measure(program, folder, address, path):
    """Seconds and CPU seconds of pawl."""
    (folder / "pawl.yaml").write_text(f'version: 1\nstore: "{address}"\n')
    begin = time.perf_counter()
    child = subprocess.Popen([program, "-q", "import", "google-benchmark", path], cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"'{program}' cannot import into PostgreSQL")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def main():
    words = sys.argv[1:]
    points = int(words.pop(0)) if words and words[0].isdigit() else 10000
    if not words:
        sys.exit(__doc__)
    sys.path.insert(0, str(HERE.parents[1] / "tests/support"))
    contract = load(HERE.parents[1] / "tests/contract/postgresql.py", "postgresql_contract")
    files = load(HERE / "import.py", "import_files")
    with tempfile.TemporaryDirectory(prefix="pawl-pg-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        for part in ("server", "user", "proxy"):
            (folder / part).mkdir()
        server = contract.Server(folder / "server")
        try:
            files.google_benchmark(folder / "run.json", points)
            proxy = Proxy(folder / "proxy", f"{server.folder}/.s.PGSQL.{server.port}")
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; one run of {points} points\n")
            print("| delay of each way, ms | program | seconds | CPU of pawl, s | round trips |\n|---|---|---|---|---|")
            for delay in (0, DELAY):
                for i, program in enumerate(words):
                    server.sql(f"CREATE DATABASE d{i}_{int(delay * 1e3)}")
                    address = f"postgresql://postgres@/d{i}_{int(delay * 1e3)}?host={folder}/proxy&port={PORT}"
                    proxy.turns, proxy.delay = 0, delay
                    seconds, cpu = measure(os.path.abspath(program), folder / "user", address, str(folder / "run.json"))
                    print(f"| {delay * 1e3:.0f} | {i + 1} | {seconds:.2f} | {cpu:.2f} | {proxy.turns} |", flush=True)
        finally:
            server.stop()
            shutil.rmtree(folder / "server/data", ignore_errors=True)


if __name__ == "__main__":
    main()
