#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning again after a change of the code: `auto` searches the space of the old code, and its results are the prior of a
search of the new code's space. Both are caches of Kernel Tuner. The new code has the best parameters of the old search, so
both new searches, with the prior and without it, time these first, as `pawl tune` does. Columns: the runs that are within
5 % of the optimum after 16 evaluations; evaluations spent for each run that comes within 5 %, with the prior and without
it, and their ratio; the best / optimum after 20. The exit status is 1 if a smaller share of all runs than --least is within
5 %, or a ratio is larger than --most. With --no-current the new code has no parameters, and the first evaluation is the
first question.

Usage: retuning.py [--seeds 20] [--first 1] [--least 0.8] [--most 1.1] [--no-current] OLD.json.gz NEW.json.gz [OLD NEW]..."""

import argparse
import concurrent.futures
import functools
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import strategies

SOON = 16
KNOWN = 200  # evaluations of the old code
OTHER_SEEDS = 1000  # the second search has other chances than the first


@functools.cache
def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def keys_of(path):
    """{the configuration as pawl writes it: its name in the cache}"""
    cache = read(path)
    return {",".join(f"{name}={row[name]}" for name in cache["tune_params_keys"]): key for key, row in cache["cache"].items()}


def search(path, seed, folder):
    """The entries of the journal of a search of it."""
    subprocess.run(["pawl", "-q", "tune", "--replay", str(path), "--seed", str(seed), "--evaluations", str(KNOWN), "-o", folder],
                   check=True, stdout=subprocess.DEVNULL)
    lines = pathlib.Path(folder, "tune.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if "key" in entry]
    assert len(entries) == min(KNOWN, len(read(path)["cache"])), f"{path}: the journal has {len(entries)} configurations"
    return entries


def best_that_is_in(path, entries):
    there = keys_of(path)
    return min((entry for entry in entries if entry.get("median_ms") and entry["key"] in there), key=lambda entry: entry["median_ms"])["key"]


def retune(old, new, seed, has_current):
    """The curves of a search of the new code with and without what one of the old code tried."""
    cache, names = read(old), keys_of(old)
    with tempfile.TemporaryDirectory() as folder:
        entries = search(old, seed, folder)
        prior = pathlib.Path(folder, "prior.json")
        rows = {names[entry["key"]]: cache["cache"][names[entry["key"]]] for entry in entries}
        prior.write_text(json.dumps(cache | {"cache": rows}), encoding="utf-8")
        current = best_that_is_in(new, entries) if has_current else None
        curves = [strategies.replay(str(new), "auto", OTHER_SEEDS + seed, 1, before, current)[0] for before in (str(prior), None)]
    return [[value or math.inf for value in curve] for curve in curves]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--no-current", dest="has_current", action="store_false")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--most", type=float, default=math.inf)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("spaces", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if len(arguments.spaces) % 2:
        parser.error("the spaces come in pairs: OLD NEW")
    pairs = list(zip(arguments.spaces[::2], arguments.spaces[1::2]))
    runs = soon = most = 0
    print(f"| old | new | within 5 % after {SOON} | to 5 % | without the old | ratio | best at 20 | without the old |\n|---|---|" + "---:|" * 6)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for old, new in pairs:
            seeds = range(arguments.first, arguments.first + arguments.seeds)
            both = list(pool.map(lambda seed, old=old, new=new: retune(old, new, seed, arguments.has_current), seeds))
            seeded, cold = zip(*both)
            now = sum(curve[SOON - 1] <= 1.05 for curve in seeded)
            spent = [strategies.spent(curves, 1.05) for curves in (seeded, cold)]
            ratio = spent[0] / spent[1] if math.isfinite(spent[1]) else 0
            at_20 = [sum(curve[19] for curve in curves) / len(curves) for curves in (seeded, cold)]
            names = [path.name.split(".")[0] for path in (old, new)]
            print(f"| {names[0]} | {names[1]} | {now} of {len(both)} | {spent[0]:.1f} | {spent[1]:.1f} | "
                  f"{ratio:.2f} | {at_20[0]:.3f} | {at_20[1]:.3f} |", flush=True)
            runs, soon, most = runs + len(both), soon + now, max(most, ratio)
    print(f"\n{soon} of {runs} runs are within 5 % after {SOON} evaluations; the largest ratio is {most:.2f}")
    return 1 if soon < arguments.least * runs or most > arguments.most else 0


if __name__ == "__main__":
    sys.exit(main())
