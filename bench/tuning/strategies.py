#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near to the optimum of recorded spaces each strategy comes: the mean over seeds of best found / optimum, after
20, 50, 100 and 200 evaluations, failures counted. The spaces are caches of Kernel Tuner, unpacked:
https://github.com/AutoTuningAssociation/benchmark_hub

Usage: strategies.py [--seeds 12] [--strategy NAME]... CACHE.json..."""

import argparse
import json
import math
import pathlib
import subprocess

POINTS = (20, 50, 100, 200)


def replay(space, strategy, seed):
    words = ["pawl", "--json", "tune", "--replay", space, "--strategy", strategy, "--seed", str(seed),
             "--evaluations", str(max(POINTS))]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["best_found"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--strategy", action="append")
    parser.add_argument("spaces", nargs="+")
    arguments = parser.parse_args()
    strategies = arguments.strategy or ["auto", "bayesian", "annealing", "random"]
    print("| strategy | space |" + "".join(f" {n} |" for n in POINTS))
    print("|---|---|" + "---:|" * len(POINTS))
    for strategy in strategies:
        logs = [0.0] * len(POINTS)
        for space in arguments.spaces:
            means = [0.0] * len(POINTS)
            for seed in range(1, arguments.seeds + 1):
                curve = replay(space, strategy, seed)
                for i, point in enumerate(POINTS):
                    found = [step["over_optimum"] for step in curve if step["evaluations"] <= point]
                    means[i] += (found[-1] if found else 10) / arguments.seeds  # 10: nothing that works yet
            logs = [log + math.log(mean) / len(arguments.spaces) for log, mean in zip(logs, means)]
            print(f"| `{strategy}` | {pathlib.Path(space).stem} |" + "".join(f" {mean:.3f} |" for mean in means))
        print(f"| `{strategy}` | geometric mean |" + "".join(f" {math.exp(log):.3f} |" for log in logs))


if __name__ == "__main__":
    main()
