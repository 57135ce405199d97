#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `pawl import` of many points costs: CPU seconds and the peak of the memory.

usage: import.py [POINTS] PAWL...    each PAWL is a program to compare, in turns on the same files
"""
import json
import os
import random
import subprocess
import sys
import tempfile


def google_benchmark(path, points):
    """Writes one run in which each benchmark is a series of its own."""
    with open(path, "w") as file:
        file.write('{"benchmarks":[\n')
        for i in range(points):
            name = f"BM_sort{i % 1000}/{i}"
            row = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": 0,
                   "iterations": 1000, "real_time": random.uniform(1, 2), "cpu_time": 1, "time_unit": "ns"}
            file.write((",\n" if i else "") + json.dumps(row))
        file.write("]}")


def data_js(path, points):
    """Writes many runs of the same 1000 benchmarks."""
    with open(path, "w") as file:
        file.write('window.BENCHMARK_DATA = {"entries":{"suite":[')
        for run in range(points // 1000):
            benches = [{"name": f"b{i}", "value": random.uniform(1, 2), "unit": "ns/iter"} for i in range(1000)]
            entry = {"commit": {"id": f"{run + 1:040x}"}, "date": 1700000000000 + run * 1000,
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


def measure(program, name, path, folder):
    """Imports the file into a new history and prints what it cost."""
    with open(os.path.join(folder, "pawl.yaml"), "w") as file:
        file.write("version: 1\n")
    child = subprocess.Popen([program, "-q", "import", name, path], cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"'{program}' cannot import {name}")
    megabytes = os.path.getsize(path) / 1e6
    print(f"{name:24} {megabytes:5.0f} MB  {usage.ru_utime + usage.ru_stime:6.1f} s CPU  "
          f"{usage.ru_maxrss / 1024:5.0f} MiB  {program}", flush=True)


def main():
    words = sys.argv[1:]
    points = int(words.pop(0)) if words and words[0].isdigit() else 1000000
    if not words:
        sys.exit(__doc__)
    random.seed(1)
    with tempfile.TemporaryDirectory() as scratch:
        for name, write in FILES.items():
            path = os.path.join(scratch, name)
            write(path, points)
            for program in words:
                with tempfile.TemporaryDirectory() as folder:
                    measure(os.path.abspath(program), name, path, folder)


if __name__ == "__main__":
    main()
