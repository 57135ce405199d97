#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `pawl compare`, `ratchet` and `report` in the current folder, where run.sh put the files: the median of 9 whole
commands each, from start to exit, beside the best of them."""
import statistics
import subprocess
import sys
import time

LIMIT_MS = {100: 250, 1000: 1000}
RUNS = 9


def commands(count):
    base, candidate = f"base-{count}.json", f"candidate-{count}.json"
    yield "compare", ["compare", base, candidate, "-o", "comparison.json"], (0, 1, 2)
    yield "ratchet", ["ratchet", candidate, "--baseline", f"baseline-{count}.json", "-o", "report.md"], (0, 1, 2)
    yield "report md", ["report", candidate, "-o", "results.md"], (0,)
    yield "report html", ["report", candidate, "-o", "page.html"], (0,)


def milliseconds(command, statuses):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in statuses:
        sys.exit("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()))
    return (time.perf_counter() - start) * 1000


def main():
    slow = False
    print("configurations  command       median ms   best ms   limit ms")
    for count, limit in LIMIT_MS.items():
        for name, arguments, statuses in commands(count):
            times = [milliseconds([sys.argv[1], *arguments], statuses) for _ in range(RUNS)]
            median = statistics.median(times)
            slow = slow or median >= limit
            print("%14d  %-12s %10.1f %9.1f %10d%s" % (count, name, median, min(times), limit,
                                                     "  TOO SLOW" if median >= limit else ""))
    return slow


sys.exit(main())
