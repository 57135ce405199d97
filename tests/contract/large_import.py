#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pawl import` of a file of 100 MB, with a fifth of that as memory for data: large_import.py BUILD"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import staged  # noqa: E402

FILE_BYTES = 100_000_000
DATA_BYTES = 20_000_000  # 2 MB are enough: the file is mapped, and read as it streams
ROW_BYTES = 60_000


def write(path):
    """A Google Benchmark file; how many benchmarks it has."""
    row = {"run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1, "iterations": 1, "real_time": 5.0,
           "cpu_time": 5.0, "time_unit": "ns", "label": "x" * ROW_BYTES}
    count = FILE_BYTES // ROW_BYTES
    with open(path, "w") as out:
        out.write('{"context": {"date": "2026-01-01T00:00:00+00:00", "host_name": "h"}, "benchmarks": [\n')
        for i in range(count):
            name = f"sort/{i}"
            out.write(json.dumps({"name": name, "run_name": name, **row}) + (",\n" if i < count - 1 else "\n"))
        out.write("]}\n")
    return count


def limit_data():
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-import-") as folder:
        scratch = pathlib.Path(folder)
        home = staged.install(pathlib.Path(sys.argv[1]).resolve(), scratch / "stage")
        environment = staged.environment(home, scratch / "home")
        work = scratch / "work"
        subprocess.run(["pawl", "-q", "init", "--example", "minimal", str(work)], env=environment, check=True)
        count = write(scratch / "large.json")
        assert (scratch / "large.json").stat().st_size >= FILE_BYTES * 0.99
        done = subprocess.run(["pawl", "import", "google-benchmark", str(scratch / "large.json")], cwd=work, env=environment,
                              capture_output=True, text=True, preexec_fn=limit_data)
        print(done.stdout, done.stderr)
        assert done.returncode == 0 and f"added {count} points of 1 runs" in done.stdout + done.stderr, done.returncode


main()
