#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the statistics beside scipy's, alternating in one run, and prints medians and ratios: run.py [--repeats N].

Builds bench/stats/stats_bench.c with $CC (cc). Needs python3-scipy.
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy
from scipy import stats

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 7


def build(folder):
    program = folder / "stats_bench"
    sources = [ROOT / "bench/stats/stats_bench.c", *sorted((ROOT / "src/stats").glob("*.c")),
               *(ROOT / "src/base" / name for name in ("memory.c", "error.c", "clock.c", "text.c"))]
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O2", f"-I{ROOT}/src", f"-I{ROOT}/include", *sources, "-lm", "-o", program],
                   check=True)
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    return program, version


def ours(program, operation, files):
    """Median seconds of five calls in one process, and the result."""
    reply = subprocess.run([program, operation, "5", *files], check=True, capture_output=True, text=True).stdout
    times, result = reply.splitlines()
    return statistics.median(map(float, times.split())), [float(word) for word in result.split()]


def theirs(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def scipy_bootstrap(x):
    interval = stats.bootstrap((x,), np.median, n_resamples=10000, method="percentile", vectorized=True,
                               random_state=SEED).confidence_interval
    return [interval.low, interval.high]


def scipy_mann_whitney(x, y):
    return list(stats.mannwhitneyu(x, y, method="auto"))


def scipy_delta(x, y):
    """scipy has no Cliff's delta; it follows from U."""
    return [2 * stats.mannwhitneyu(x, y, method="auto").statistic / (len(x) * len(y)) - 1]


def compare(program, label, operation, target, repeats, files, call, factor=1):
    times = [], []
    theirs(call)
    for _ in range(repeats):
        seconds, result = ours(program, operation, files)
        times[0].append(seconds / factor)
        seconds, reference = theirs(call)
        times[1].append(seconds)
    a, b = map(statistics.median, times)
    ratio = b / a
    print(f"{label:<44} {a * 1e3:9.3f} ms {b * 1e3:9.3f} ms {ratio:7.0f}x  {target:>6}  "
          f"{'reached' if ratio >= float(target.strip('>=x')) else 'MISSED'}")
    print(f"    pawl {result[:len(reference)]}, scipy {[float(v) for v in reference]}")
    return ratio


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    random = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, compiler = build(folder)
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
        print(f"{cpu}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {platform.system()} {platform.release()}\n"
              f"{compiler}, -O2; Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}\n"
              f"bench/stats/run.py --repeats {repeats}; medians; one thread each; raw, unsorted samples\n")
        print(f"{'':<44} {'pawl':>12} {'scipy':>12} {'ratio':>8}  target")

        def arm(label, n, shift=0.0):
            path = folder / label
            samples = random.lognormal(0, 0.01, n) + shift
            samples.astype("<f8").tofile(path)
            return samples, str(path)

        for n in 100, 1000, 10000:
            x, path = arm(f"x{n}", n)
            fewer = max(3, repeats // 3) if n == 10000 else repeats
            compare(program, f"bootstrap, n = {n}, plan built in the time", "bootstrap", ">=10x", fewer, [path],
                    lambda: scipy_bootstrap(x))
            if n < 10000:
                compare(program, f"bootstrap, n = {n}, one of 100 by one plan", "bootstrap-shared", ">=10x", fewer,
                        [path], lambda: scipy_bootstrap(x), factor=100)
        (x, x_path), (y, y_path) = arm("x", 10000), arm("y", 10000, 0.0003)
        compare(program, "Mann-Whitney U, n = 10000 a side", "mann-whitney", ">=4x", repeats, [x_path, y_path],
                lambda: scipy_mann_whitney(x, y))
        compare(program, "Cliff's delta, n = 10000 a side", "cliffs-delta", ">=4x", repeats, [x_path, y_path],
                lambda: scipy_delta(x, y))


if __name__ == "__main__":
    main()
