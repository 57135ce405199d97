#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates the gate and prints docs/results/gate-simulation.md:
     run.py [--trials N] [--deals N] [--seed N] [--pushes N] [--processes FILE] > docs/results/gate-simulation.md

Builds bench/gate/simulate.c with $CC (cc). FILE holds timings of the same call in fresh processes, as JSON
{process: {mode: [times]}}; its processes are dealt into blocks at random.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

INTRODUCTION = """# The gate, simulated

Written by `bench/gate/run.py{arguments}`. The test is `src/stats/sequential.h`, its argument `docs/adr/sequential-test.md`.
Policy: tolerate 1 %, detect 3 %, false_alarm 0.1 %, miss 1 %, max_blocks 80, one comparison, rule 3 (blocks in pairs of swapped places).

## Trials

{trials} trials a row, seed {seed}. A block is 100 samples of one process a side. Standard deviations between processes and
of the samples within one: quiet .32 / .5 %, typical .7 / 1 %, noisy 1.5 / 3 %. The other noises are not normal: "outliers" is typical,
with every 20th sample three times as slow. In "bimodal", 20 % of the processes are 22 % slower, with .32 / 1 % otherwise. "Drift" is
typical, with a random walk of 2 % from block to block on both sides. "CI holds" is the share of trials whose 95 % limits, at the
block where the gate stopped, contain the true change.

{answers}
## Beside other rules, on the same draws

Each rule sees the data of its tool: the 100 samples a side of the first block. "Called a change" counts both directions. The
gate's row counts REGRESSION and IMPROVEMENT. nvbench's robust rule runs with equal clocks.

{rules}
## The cost of the correction for many comparisons

Computed, not simulated: each of n kernels and cases has 1/n of false_alarm. "Chance spent" is the exact probability that
a fair coin crosses the boundary, as a share of the allowed probability. A wrong MAINTAINED can reduce the power by up to 1 %.

{exact}"""

PUSHES = """
## Pushes of identical code through the ratchet

Written by `bench/gate/pushes.sh {pushes} {seed}`, which links the real `src/gate`: every push is judged against the recorded
baseline over blocks of its own (25 samples a process), measures a confirmation where it looks like an improvement, and may
then move the baseline. Noise: iid is "noisy" above, the others are named alike; "drift" goes on from push to push. On the
right, the same pushes judged by the unpaired rule against the stored samples.

{table}"""

DEALS = """
## Real processes

`{file}`: the same call, timed in {count} fresh processes in three ways, dealt at random into {blocks} blocks,
{deals} deals a mode. Every verdict of change would be false; only the medians of processes enter.

{table}"""


def build(folder):
    program = folder / "simulate"
    sources = [ROOT / "bench/gate/simulate.c", ROOT / "bench/gate/rules.c", *sorted((ROOT / "src/stats").glob("*.c")),
               *(ROOT / "src/base" / name for name in ("memory.c", "error.c", "text.c"))]
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O2", f"-I{ROOT}/src",
                    f"-I{ROOT}/include", *sources, "-lm", "-o", program], check=True)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--deals", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=20261120)
    parser.add_argument("--pushes", type=int, default=500)
    parser.add_argument("--processes", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        program = build(pathlib.Path(name))

        def simulate(*arguments, given=""):
            return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True,
                                  input=given).stdout

        answers, rules = simulate("trials", options.trials, options.seed).split("\n\n")
        shown = f" --trials {options.trials} --seed {options.seed}"
        if options.processes:
            shown += f" --deals {options.deals} --processes {options.processes.name}"
        print(INTRODUCTION.format(arguments=shown, trials=options.trials, seed=options.seed, answers=answers + "\n",
                                  rules=rules, exact=simulate("exact")), end="")
        if options.processes:
            timings = list(json.loads(options.processes.read_text()).values())
            lines = [" ".join([mode, *(repr(statistics.median(times[mode])) for times in timings)])
                     for mode in timings[0]]
            print(DEALS.format(file=options.processes.name, count=len(timings), blocks=len(timings) // 2,
                               deals=options.deals,
                               table=simulate("deals", options.deals, options.seed, given="\n".join(lines) + "\n")),
                  end="")
        table = subprocess.run([ROOT / "bench/gate/pushes.sh", str(options.pushes), str(options.seed)], check=True,
                               capture_output=True, text=True).stdout
        print(PUSHES.format(pushes=options.pushes, seed=options.seed, table=table), end="")


if __name__ == "__main__":
    main()
