#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benches references with pawl and with own_timing.py in turns: compare.py PAWL SUITE_FOLDER. compare.sh calls it.

Goals: each of 20 benches within 1 % of own_timing.py's median of the moments before and after it, and a CV below 1.5 %."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import own_timing

BENCHES = int(os.environ.get("BENCHES", 20))
SECONDS = float(os.environ.get("SECONDS_IN_ALL", 240))
KERNELS = os.environ.get("KERNELS", "torch_default triton").split()
CACHE = os.environ.get("CACHE", "cold")
MAX_RATIO, MAX_CV = 0.01, 0.015


def bench(pawl, folder):
    """{kernel: its row of results.json}."""
    path = folder / "results.json"
    done = subprocess.run([pawl, "-q", "bench", *KERNELS, "--case", "reference", "-o", str(path)], cwd=folder,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit("pawl bench ended with %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    rows = {row["kernel_name"]: row for row in json.loads(path.read_text())["results"]}
    for name in KERNELS:
        if name not in rows or rows[name]["outcome"] != "ok":
            sys.exit("%s: %s" % (name, rows.get(name, {}).get("reason") or "no result"))
    return rows


def judge(row, own_us):
    """(median in us, ratio to own_timing, CV, samples that waited are named, meets the goals)"""
    performance = row["performance"]
    median, cv = performance["median_ms"] * 1e3, performance["cv"]
    waited = any("waited for the host" in text for text in row.get("warnings") or [])
    ratio = median / own_us
    return median, ratio, cv, waited, abs(ratio - 1) <= MAX_RATIO and cv < MAX_CV and not waited


def print_table(found):
    print("\n%-14s %7s %9s %9s %9s %7s %7s  %s" % ("kernel", "benches", "own us", "pawl us", "ratio", "worst", "max CV", "goals met"))
    for name, rows in found.items():
        own, median, ratio, cv, _, met = zip(*rows)
        worst = max(ratio, key=lambda value: abs(value - 1))
        print("%-14s %7d %9.2f %9.2f %9.4f %7.4f %6.2f%%  %d of %d%s" % (
            name, len(rows), statistics.median(own), statistics.median(median), statistics.median(ratio), worst,
            100 * max(cv), sum(met), len(rows), "" if all(met) else "  MISSED"))


def main():
    pawl, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        import torch
    except ImportError as error:
        print("no PyTorch here: %s" % error)
        return 77
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU here")
        return 77
    print("%s, PyTorch %s, %s caches" % (torch.cuda.get_device_name(), torch.__version__, CACHE))
    with torch.no_grad():
        timers = {name: own_timing.Timer(name, torch) for name in KERNELS}

        def own():
            return {name: statistics.median(getattr(timer, CACHE)()) for name, timer in timers.items()}
        found, started, before, longest = {name: [] for name in KERNELS}, time.monotonic(), own(), 0.0
        for number in range(BENCHES):
            began = time.monotonic()
            if began - started + longest > SECONDS:
                print("the time is over after %d benches" % number)
                break
            rows, after = bench(pawl, folder), own()
            for name in KERNELS:
                own_us = (before[name] + after[name]) / 2
                found[name].append((own_us, *judge(rows[name], own_us)))
                median, ratio, cv, waited, met = found[name][-1][1:]
                print("%2d %-14s own %8.2f us  pawl %8.2f us  ratio %.4f  CV %.2f %%%s%s" % (
                    number + 1, name, own_us, median, ratio, 100 * cv, "  waited" if waited else "", "" if met else "  MISSED"),
                    flush=True)
            before, longest = after, max(longest, time.monotonic() - began)
    if not all(found.values()):
        return 1
    print_table(found)
    return 0 if all(row[-1] for rows in found.values() for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
