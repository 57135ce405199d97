#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How small a change the gate sees on this machine, by the length of a call and the time spent, beside load that comes and
goes. `pawl doctor` measures; this program makes the load and writes the table of docs/guides/verdicts.md.

Usage: small_changes.py [--rounds N] [--load N,N...] >table.md     (pawl from PATH; about a minute a line and round)

Each of N processes computes for a random time of half a second on average, then sleeps for one second on average."""

import argparse
import json
import math
import multiprocessing
import os
import random
import re
import statistics
import subprocess
import time

FIGURE = re.compile(r"calls of ([0-9.]+) (us|ms|s): .*a slow-down of (none|[0-9.]+).* in 1 min, of (none|[0-9.]+).* in 10 min")
MS = {"us": 1e-3, "ms": 1, "s": 1e3}


def burst(seed):
    chance = random.Random(seed)
    while True:
        end = time.monotonic() + chance.expovariate(2)
        while time.monotonic() < end:
            pass
        time.sleep(chance.expovariate(1))


def measure(load):
    """Returns [(call in ms, change in 1 min, change in 10 min)] beside `load` processes; the changes are percent."""
    processes = [multiprocessing.Process(target=burst, args=(i,), daemon=True) for i in range(load)]
    for process in processes:
        process.start()
    try:
        said = subprocess.run(["pawl", "--json", "doctor"], capture_output=True, text=True, timeout=400).stdout
    finally:
        for process in processes:
            process.terminate()
    rows = [FIGURE.match(row.get("found") or row.get("reason")) for row in json.loads(said)["steadiness"] if row["name"] == "spread"]
    number = {"none": math.inf}
    return [(float(m[1]) * MS[m[2]], *(number.get(text) or float(text) for text in m.groups()[2:])) for m in rows if m]


def text(values):
    middle = statistics.median(values)
    return f"{middle:.1f} %" if math.isfinite(middle) else "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--load", default="0,1,2")
    options = parser.parse_args()
    print("| load of this program | load average | call | in 1 min | in 10 min | measurements |\n|---|---:|---:|---:|---:|---:|")
    for load in map(int, options.load.split(",")):
        taken, averages = [], []
        for _ in range(options.rounds):
            taken.append(measure(load))
            averages.append(os.getloadavg()[0])
        for length in zip(*(rows for rows in taken if rows)):
            call = statistics.median(row[0] for row in length)
            print(f"| {load} processes | {statistics.median(averages):.0f} | {call:.2g} ms | {text([row[1] for row in length])} "
                  f"| {text([row[2] for row in length])} | {len(length)} |", flush=True)


main()
