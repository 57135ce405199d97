#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how near to the optimum of recorded spaces each strategy comes. Failures count as evaluations. The spaces are caches
of Kernel Tuner, as files or packed with gzip: https://github.com/AutoTuningAssociation/benchmark_hub

Columns: best found / optimum after 20, 50, 100 and 200 evaluations (mean over seeds); evaluations spent per success to
come within 5 % and 1 % of the optimum (a run that does not spends 200); the score: the mean over 200 evaluations of
(chance - strategy) / (chance - optimum), where chance is the exact mean of random draws. The last rows of a strategy are
geometric means over the spaces, and the score's mean.

With --failures, each seed has failures of its own: one choice of them says little, because a space has few configurations
near its optimum.

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


def write_space(path, failures, seed, folder):
    """(file, chance) of a space with the failures of a seed."""
    cache = read_space(path, failures, random.Random(f"{path.name} {seed}"))
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json", dir=folder, delete=False) as file:
        json.dump(cache, file)
    return file.name, chance(cache)


def replay(path, strategy, seed, batch, prior, current=None):
    """(the best over the optimum after 1, 2, ... BUDGET evaluations, the seconds that pawl takes)"""
    words = ["pawl", "--json", "tune", "--replay", path, "--strategy", strategy, "--seed", str(seed), "--batch", str(batch),
             "--evaluations", str(BUDGET)] + (["--prior", prior] if prior else [])
    words += ["--current", current] if current else []
    begin = time.monotonic()
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    steps = json.loads(done.stdout)["best_found"]
    curve, best, at = [], None, 0
    for n in range(1, BUDGET + 1):
        while at < len(steps) and steps[at]["evaluations"] <= n:
            best, at = steps[at]["over_optimum"], at + 1
        curve.append(best)
    return curve, seconds


def replay_with_failures(path, failures, strategy, seed, batch, prior, folder):
    """(curve, seconds, chance) of a seed."""
    file, baseline = write_space(path, failures, seed, folder)
    found = replay(file, strategy, seed, batch, prior)
    os.unlink(file)
    return *found, baseline


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
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    print("| strategy | space |" + "".join(f" {n} |" for n in POINTS) + " to 5 % | to 1 % | score |")
    print("|---|---|" + "---:|" * 7)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        prior = write_space(arguments.prior, 0, 0, folder)[0] if arguments.prior else None
        spaces = [(path, *write_space(path, 0, 0, folder)) for path in arguments.spaces]
        for strategy in arguments.strategy or ["auto", "bayesian", "random"]:
            logs, scores, total = [0.0] * 6, 0.0, 0.0
            for path, file, baseline in spaces:
                if arguments.failures:
                    jobs = [pool.submit(replay_with_failures, path, arguments.failures, strategy, seed, arguments.batch, prior, folder)
                            for seed in seeds]
                    curves, seconds, baselines = zip(*(job.result() for job in jobs))
                    baseline = [sum(column) / len(column) for column in zip(*baselines)]
                else:
                    jobs = [pool.submit(replay, file, strategy, seed, arguments.batch, prior) for seed in seeds]
                    curves, seconds = zip(*(job.result() for job in jobs))
                values, score = measure(curves, baseline)
                logs = [log + math.log(value) / len(spaces) for log, value in zip(logs, values)]
                scores += score / len(spaces)
                total += sum(seconds)
                show(strategy, path.name.split(".")[0], values, score)
            show(strategy, "geometric mean", [math.exp(log) for log in logs], scores)
            evaluations = BUDGET * arguments.seeds * len(spaces)
            print(f"\n{total / evaluations * 1e3:.2f} ms an evaluation, reading the space included\n")


if __name__ == "__main__":
    main()
