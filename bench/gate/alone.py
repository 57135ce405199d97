#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a CPU kernel take the same time alone and in pairs? Runs versions of one kernel and prints, for each number of
threads, the time that bench takes of it alone beside its times in the paired blocks of the same run.

    bench/gate/alone.py [PAWL_FOLDER] [-o FILE.json]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

Environment: RUNS (5) of each, THREADS ("1 2").
Exit 0: the medians over the runs agree within 3 %. 1: not. 77: no pawl to run. A quiet machine is needed."""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/loop"))
import repository  # noqa: E402

RUNS = int(os.environ.get("RUNS", "5"))
THREADS = [int(word) for word in os.environ.get("THREADS", "1 2").split()]
LIMIT = 0.03


def times_of(repo):
    """(alone, in pairs) in milliseconds, of the run that ended."""
    results = json.loads((repo.folder / "perf/out/results.json").read_text())["results"]
    alone = results[0]["performance"]["median_ms"]
    blocks = [block["candidate_ms"] for block in repo.verdict()["comparisons"][0]["paired"]["blocks"] if not block["spoiled"]]
    if not blocks:
        raise SystemExit("alone.py: other programs disturbed every block; run it on a quiet machine")
    return alone, statistics.median(blocks)


def measure(home, folder, threads):
    """A row for each run."""
    repo = repository.Versioned(home, folder, False, f"{{warmup: 5, samples: 42, processes: 6, cache: cold, threads: {threads}}}")
    repo.record()
    rows = []
    for number in range(1, RUNS + 1):
        repo.version(number, 0)
        repo.pawl("run", statuses=(0, 1, 2))
        alone, paired = times_of(repo)
        rows.append({"threads": threads, "alone_ms": alone, "paired_ms": paired})
        print(f"{threads} threads  alone {1e3 * alone:8.1f} us  in pairs {1e3 * paired:8.1f} us  {100 * (paired / alone - 1):+.2f} %", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home", nargs="?", default=ROOT / "dist")
    parser.add_argument("-o", metavar="FILE.json")
    options = parser.parse_args()
    if not (pathlib.Path(options.home) / "bin/pawl").exists():
        print(f"alone.py: no program '{options.home}/bin/pawl'")
        raise SystemExit(77)
    rows, apart = [], False
    with tempfile.TemporaryDirectory(prefix="pawl-alone-") as scratch:
        for threads in THREADS:
            found = measure(options.home, pathlib.Path(scratch) / str(threads), threads)
            median = statistics.median(row["paired_ms"] / row["alone_ms"] for row in found) - 1
            print(f"{threads} threads  median {100 * median:+.2f} %")
            apart = apart or abs(median) > LIMIT
            rows += found
    if options.o:
        pathlib.Path(options.o).write_text(json.dumps(rows, indent=2) + "\n")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
