#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `auto` reaches on the six spaces that bench/tuning/recording measured, and on the same kernels after a change of
their code, with what it knew of the old code. The seeds make it repeatable, so that a bound is not a matter of luck.
tune_recorded.py PAWL"""
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED, CHANGED = ROOT / "docs/results/tuning-h100/recorded", ROOT / "docs/results/tuning-h100/changed"
SEEDS = range(1, 5)
EVALUATIONS = 50
MOST = 1.03  # of the geometric mean; these seeds give 1.010, 40 seeds 1.019, annealing and genetic search 1.07
LEAST_OF_CHANCE = 1.1  # otherwise the spaces say nothing of a strategy
LEAST_AGAIN = 0.8  # of the runs with the journal of the old code: within 5 % after 16 evaluations; 31 of 36 are, without it 20


def best_over_optimum(pawl, space, strategy, seed):
    words = [pawl, "--json", "tune", "--replay", space, "--strategy", strategy, "--seed", str(seed), "--evaluations", str(EVALUATIONS)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["best_found"][-1]["over_optimum"]


def reached(pawl, spaces, strategy):
    means = [sum(best_over_optimum(pawl, space, strategy, seed) for seed in SEEDS) / len(SEEDS) for space in spaces]
    print(strategy, *(f"{space.name.split('.')[0]} {mean:.3f}" for space, mean in zip(spaces, means)))
    return math.prod(means) ** (1 / len(means))


def retune(pawl, spaces):
    """From the old code to the new, and back."""
    pairs = [(space, CHANGED / space.name.replace(".json.gz", "_changed.json.gz")) for space in spaces]
    words = [path for old, new in pairs for path in (old, new, new, old)]
    script = [ROOT / "bench/tuning/retuning.py", "--seeds", "3", "--least", str(LEAST_AGAIN), *words]
    path = f"{pathlib.Path(pawl).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run([sys.executable, *script], env=os.environ | {"PATH": path}, check=False)
    assert done.returncode == 0, f"fewer than {LEAST_AGAIN:.0%} of the runs are within 5 % after 16 evaluations"


def main():
    pawl, spaces = sys.argv[1], sorted(RECORDED.glob("*.json.gz"))
    assert len(spaces) == 6, f"{len(spaces)} of 6 spaces are in {RECORDED}"
    auto, chance = (reached(pawl, spaces, strategy) for strategy in ("auto", "random"))
    print(f"after {EVALUATIONS} evaluations: auto {auto:.3f}, chance {chance:.3f}")
    assert auto <= MOST, f"auto reaches {auto:.3f} times the optimum, and {MOST} is the most"
    assert chance >= LEAST_OF_CHANCE, f"chance alone reaches {chance:.3f}"
    retune(pawl, spaces)


main()
