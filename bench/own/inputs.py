#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times measurements of one kernel on large inputs by several programs in turn, from start to exit.

    bench/own/inputs.py [--rounds N] [--row N]... PAWL...     the ratios are to the first program

Prints medians of the time and of the CPU time, in seconds, and the load of the machine. The kernel is y = 2 x of
`pawl init --example minimal`. `run` compares it with itself, with other machine code beside it."""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from run import call

SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  big: {operator: scale, n: %d, dtype: f32}
check:
  scale: {n: [1, 1000]}
gate: {busy: count}
measure: {samples: 60, processes: 6, cache: %s}
"""
OTHER = "\n__attribute__((used)) static int other(void) { return 7; }\n"
ROWS = [("bench", 16000000, "cold"), ("bench", 16000000, "warm"), ("run", 1000000, "cold"), ("run", 16000000, "cold")]


def prepare(program, place, size, cache, other):
    """Makes the repository; `other` adds machine code after the commit."""
    suite = place / "suite"
    call(program, ["-q", "init", "--example", "minimal", str(suite)], place, place)
    (suite / "pawl.yaml").write_text(SUITE % (size, cache))
    git = ["git", "-C", suite, "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *command], check=True)
    if other:
        with open(suite / "kernels/scale_cpu.c", "a", encoding="utf-8") as source:
            source.write(OTHER)
    return suite


def measure(programs, rounds, command, size, cache, root):
    arguments = ["-q", "bench"] if command == "bench" else ["-q", "run", "--against", "HEAD"]
    places = [root / f"{command}-{size}-{cache}-{i}" for i in range(len(programs))]
    taken = [[] for _ in programs]
    suites = []
    for program, place in zip(programs, places):
        place.mkdir()
        suites.append(prepare(program, place, size, cache, command == "run"))
    for turn in range(-1, rounds):  # the first one fills the caches
        for i, program in enumerate(programs):
            seconds = call(program, arguments, suites[i], places[i])[:2]
            if turn >= 0:
                taken[i].append(seconds)
    return [[statistics.median(column) / 1e3 for column in zip(*one)] for one in taken]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--row", type=int, action="append", help="a row of the table, from 0 on; all by default")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    programs = [str(pathlib.Path(program).resolve()) for program in options.programs]
    root = pathlib.Path(tempfile.mkdtemp())
    try:
        for row in options.row or range(len(ROWS)):
            command, size, cache = ROWS[row]
            medians = measure(programs, options.rounds, command, size, cache, root)
            print(f"{command} {size} {cache}, load {os.getloadavg()[0]:.1f}:" + "".join(
                f"  {wall:.2f} s, CPU {cpu:.2f} ({wall / medians[0][0]:.2f}, {cpu / medians[0][1]:.2f})"
                for wall, cpu in medians), flush=True)
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    sys.exit(main())
