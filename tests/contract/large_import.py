#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl import` of files that are much larger than its memory for data: large_import.py BUILD"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import staged  # noqa: E402

# Rows, bytes of a label in each, bytes of data. The file is mapped, and read as it streams. SQLite's cache takes 12 MB.
FILES = ((1_666, 60_000, 20_000_000),  # 100 MB
         (400_000, 0, 32_000_000))  # 66 MB: 8 bytes of each name stay


def write(path, count, label):
    """A Google Benchmark file in which each benchmark has a name of its own."""
    row = {"run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1, "iterations": 1, "real_time": 5.0,
           "cpu_time": 5.0, "time_unit": "ns", "label": "x" * label}
    rest = json.dumps(row)[1:]
    with open(path, "w") as out:
        out.write('{"context": {"date": "2026-01-01T00:00:00+00:00", "host_name": "h"}, "benchmarks": [\n')
        for i in range(count):
            out.write(f'{{"name": "sort/{i}", "run_name": "sort/{i}", {rest}' + (",\n" if i < count - 1 else "\n"))
        out.write("]}\n")


def try_file(work, environment, path, count, label, data):
    write(path, count, label)
    done = subprocess.run(["pawl", "import", "google-benchmark", str(path)], cwd=work, env=environment, capture_output=True,
                          text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (data, data)))
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and f"added {count} points of 1 runs" in done.stdout + done.stderr, done.returncode
    path.unlink()


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-import-") as folder:
        scratch = pathlib.Path(folder)
        home = staged.install(pathlib.Path(sys.argv[1]).resolve(), scratch / "stage")
        environment = staged.environment(home, scratch / "home")
        work = scratch / "work"
        subprocess.run(["pawl", "-q", "init", "--example", "minimal", str(work)], env=environment, check=True)
        for count, label, data in FILES:
            try_file(work, environment, scratch / "large.json", count, label, data)


main()
