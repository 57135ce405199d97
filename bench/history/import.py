#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the CPU seconds, the peak of the memory and the longest lock of the history of `pawl import` for many points.

usage: import.py [POINTS] [--rounds N] PAWL...    each PAWL is a program to compare, in turns on the same files

With several rounds the figures are medians. The ratio is that of the CPU times, to the first program.
"""
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def google_benchmark(path, points):
    """Writes one run in which each benchmark is a series of its own."""
    with open(path, "w") as file:
        file.write('{"benchmarks":[\n')
        for i in range(points):
            name = f"BM_sort{i % 1000}/{i}"
            row = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
                   "iterations": 1000, "real_time": random.uniform(1, 2), "cpu_time": 1, "time_unit": "ns"}
            file.write((",\n" if i else "") + json.dumps(row))
        file.write("]}")


def data_js(path, points):
    """Writes many runs of the same 1000 benchmarks."""
    with open(path, "w") as file:
        file.write('window.BENCHMARK_DATA = {"entries":{"suite":[')
        for run in range(points // 1000):
            benches = [{"name": f"b{i}", "value": random.uniform(1, 2), "unit": "ns/iter"} for i in range(1000)]
            commit = {"id": f"{run + 1:040x}", "message": f"Change {run}", "timestamp": "2023-05-01T10:00:00+02:00"}
            entry = {"commit": commit, "date": 1700000000000 + run * 1000,
                     "tool": "customSmallerIsBetter", "benches": benches}
            file.write(("," if run else "") + json.dumps(entry))
        file.write("]}}")


def hyperfine(path, points):
    """Writes ten samples for each point, so that the history keeps samples too."""
    with open(path, "w") as file:
        file.write('{"results":[\n')
        for i in range(points // 10):
            row = {"command": f"c{i % 100}", "times": [random.uniform(1, 2) for _ in range(10)],
                   "parameters": {"n": str(i)}}
            file.write((",\n" if i else "") + json.dumps(row))
        file.write("]}")


FILES = {"google-benchmark": google_benchmark, "github-action-benchmark": data_js, "hyperfine": hyperfine}


class Other(threading.Thread):
    """Another writer, which asks for the lock all the time: the longest time that it asked in vain."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.longest, self.ended = path, 0, False

    def run(self):
        while not self.ended and not self.path.exists():
            time.sleep(0.001)
        history, since = sqlite3.connect(self.path, timeout=0, isolation_level=None), None
        while not self.ended or since:
            try:
                history.execute("BEGIN IMMEDIATE")
                history.execute("ROLLBACK")
                self.longest, since = max(self.longest, time.perf_counter() - since if since else 0), None
            except sqlite3.OperationalError:
                since = since or time.perf_counter()
            time.sleep(0.002)


def measure(program, name, path, folder):
    """Imports the file into a new history; the CPU seconds, the peak in MiB and the longest lock in seconds."""
    with open(os.path.join(folder, "pawl.yaml"), "w") as file:
        file.write("version: 1\n")
    other = Other(pathlib.Path(folder, ".pawl/history.db"))
    other.start()
    child = subprocess.Popen([program, "-q", "import", name, path], cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    other.ended = True
    other.join()
    if status:
        sys.exit(f"'{program}' cannot import {name}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, other.longest


def compare(programs, name, path, rounds):
    """Prints a line for each program."""
    found = {program: [] for program in programs}
    for _ in range(rounds):
        for program in programs:
            with tempfile.TemporaryDirectory() as folder:
                found[program].append(measure(os.path.abspath(program), name, path, folder))
    first = statistics.median(figures[0] for figures in found[programs[0]])
    for program in programs:
        seconds, memory, lock = (statistics.median(figures) for figures in zip(*found[program]))
        print(f"{name:24} {os.path.getsize(path) / 1e6:5.0f} MB  {seconds:6.1f} s CPU  {memory:5.0f} MiB  lock {lock:5.2f} s  "
              f"{seconds / first:5.2f}  {program}", flush=True)


def main():
    words = sys.argv[1:]
    points = int(words.pop(0)) if words and words[0].isdigit() else 1000000
    rounds = 1
    if words and words[0] == "--rounds":
        rounds, words = int(words[1]), words[2:]
    if not words:
        sys.exit(__doc__)
    random.seed(1)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as scratch:
        for name, write in FILES.items():
            path = os.path.join(scratch, name)
            write(path, points)
            compare(words, name, path, rounds)


if __name__ == "__main__":
    main()
