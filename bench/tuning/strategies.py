#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near to the optimum of recorded spaces each strategy comes, failures counted as evaluations. The spaces are caches
of Kernel Tuner, as files or packed with gzip: https://github.com/AutoTuningAssociation/benchmark_hub

Columns: best found / optimum after 20, 50, 100 and 200 evaluations (mean over seeds); evaluations spent per success to
come within 5 % and 1 % of the optimum (a run that does not spends 200); the score: the mean over 200 evaluations of
(chance - strategy) / (chance - optimum), where chance is the exact mean of random draws. The last rows of a strategy are
geometric means over the spaces, and the score's mean.

Usage: strategies.py [--seeds 40] [--strategy NAME]... [--batch 8] [--failures 0.1] [--prior CACHE] CACHE.json[.gz]..."""

import argparse
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import time

POINTS = (20, 50, 100, 200)
BUDGET = max(POINTS)
KINDS = ("CompilationFailedConfig", "RuntimeFailedConfig", "InvalidConfig", "TimeoutFailedConfig")


def read_space(path, failures, rng):
    """The cache with times alone, and a share of its configurations, never the best, made to fail."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        cache = json.load(file)
    keys = cache["tune_params_keys"]
    rows = {key: {name: row[name] for name in keys} | {"time": row["time"]} for key, row in cache["cache"].items()}
    works = [row for row in rows.values() if isinstance(row["time"], (int, float))]
    best = min(row["time"] for row in works)
    for row in works:
        if row["time"] > best and rng.random() < failures:
            row["time"] = rng.choice(KINDS)
    return {name: cache.get(name) for name in ("device_name", "kernel_name", "tune_params_keys")} | {"cache": rows}


def chance(cache):
    """The exact mean of the best of n draws without replacement over the optimum, for n = 1 .. BUDGET."""
    times = sorted(row["time"] for row in cache["cache"].values() if isinstance(row["time"], (int, float)))
    total, curve = len(cache["cache"]), []
    for n in range(1, BUDGET + 1):
        mean, left = 0.0, 1.0  # left: that none of the faster ones is drawn
        for i, value in enumerate(times):
            now = left * max(total - i - n, 0) / (total - i)
            mean += value * (left - now)
            left = now
            if left < 1e-12:
                break
        curve.append((mean + left * times[-1]) / times[0])
    return curve


def replay(job):
    path, strategy, seed, batch, prior = job
    words = ["pawl", "--json", "tune", "--replay", path, "--strategy", strategy, "--seed", str(seed), "--batch", str(batch),
             "--evaluations", str(BUDGET)] + (["--prior", prior] if prior else [])
    steps = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["best_found"]
    curve, best, at = [], None, 0
    for n in range(1, BUDGET + 1):
        while at < len(steps) and steps[at]["evaluations"] <= n:
            best, at = steps[at]["over_optimum"], at + 1
        curve.append(best)
    return curve


def spent(curves, limit):
    hits = [next((i + 1 for i, value in enumerate(curve) if value and value <= limit), None) for curve in curves]
    successes = sum(hit is not None for hit in hits)
    return sum(hit or BUDGET for hit in hits) / successes if successes else math.inf


def measure(curves, baseline):
    filled = [[value or baseline[0] for value in curve] for curve in curves]  # nothing works yet: as the first draw
    mean = [sum(column) / len(filled) for column in zip(*filled)]
    score = sum((c - m) / (c - 1) for c, m in zip(baseline, mean)) / BUDGET
    return [mean[n - 1] for n in POINTS] + [spent(curves, 1.05), spent(curves, 1.01)], score


def show(strategy, name, values, score):
    print(f"| `{strategy}` | {name} |" + "".join(f" {v:.3f} |" for v in values[:4]) +
          "".join(f" {v:.1f} |" for v in values[4:]) + f" {score:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--failures", type=float, default=0)
    parser.add_argument("--prior", type=pathlib.Path, help="the cache of an earlier search of the same kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("spaces", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    rng = random.Random(1)
    print("| strategy | space |" + "".join(f" {n} |" for n in POINTS) + " to 5 % | to 1 % | score |")
    print("|---|---|" + "---:|" * 7)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        spaces = []
        for path in arguments.spaces:
            cache = read_space(path, arguments.failures, rng)
            spaces.append((path.name.split(".")[0], f"{folder}/{len(spaces)}.json", chance(cache)))
            pathlib.Path(spaces[-1][1]).write_text(json.dumps(cache), encoding="utf-8")
        prior = None
        if arguments.prior:
            prior = f"{folder}/prior.json"
            pathlib.Path(prior).write_text(json.dumps(read_space(arguments.prior, 0, rng)), encoding="utf-8")
        for strategy in arguments.strategy or ["auto", "bayesian", "annealing", "genetic", "random"]:
            begin, logs, scores = time.monotonic(), [0.0] * 6, 0.0
            for name, path, baseline in spaces:
                seeds = range(arguments.first, arguments.first + arguments.seeds)
                curves = list(pool.map(replay, [(path, strategy, seed, arguments.batch, prior) for seed in seeds]))
                values, score = measure(curves, baseline)
                logs = [log + math.log(value) / len(spaces) for log, value in zip(logs, values)]
                scores += score / len(spaces)
                show(strategy, name, values, score)
            show(strategy, "geometric mean", [math.exp(log) for log in logs], scores)
            evaluations = BUDGET * arguments.seeds * len(spaces) / arguments.jobs
            print(f"\n{(time.monotonic() - begin) / evaluations * 1e3:.2f} ms an evaluation, reading the space included\n")


if __name__ == "__main__":
    main()
