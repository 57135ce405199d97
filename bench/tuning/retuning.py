#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning again after a change of the code: `auto` searches the space of the old code, and what it tried is the prior of a
search of the new code's space. Both are caches of Kernel Tuner. Columns: the runs that are within 5 % of the optimum after
16 evaluations; evaluations spent for each run that comes within 5 %, with the prior and without it; the best / optimum
after 20 with the prior and without it. With --least, the exit status is 1 if a smaller share of the runs is within 5 %.

Usage: retuning.py [--seeds 20] [--least 0.8] OLD.json.gz NEW.json.gz [OLD NEW]..."""

import argparse
import concurrent.futures
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


def search(path, seed, folder):
    """The cache of what a search of it tries."""
    subprocess.run(["pawl", "-q", "tune", "--replay", str(path), "--seed", str(seed), "--evaluations", str(KNOWN), "-o", folder],
                   check=True, stdout=subprocess.DEVNULL)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        cache = json.load(file)
    tried = {json.loads(line).get("key") for line in pathlib.Path(folder, "tune.jsonl").read_text(encoding="utf-8").splitlines()}
    rows = {key: row for key, row in cache["cache"].items()
            if ",".join(f"{name}={row[name]}" for name in cache["tune_params_keys"]) in tried}
    assert len(rows) == min(KNOWN, len(cache["cache"])), f"{path}: {len(rows)} of the journal's configurations are in it"
    return cache | {"cache": rows}


def retune(old, new, seed):
    """The curves of a search of the new code with and without what one of the old code tried."""
    with tempfile.TemporaryDirectory() as folder:
        prior = pathlib.Path(folder, "prior.json")
        prior.write_text(json.dumps(search(old, seed, folder)), encoding="utf-8")
        curves = [strategies.replay(str(new), "auto", OTHER_SEEDS + seed, 1, before)[0] for before in (str(prior), None)]
    return [[value or math.inf for value in curve] for curve in curves]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("spaces", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if len(arguments.spaces) % 2:
        parser.error("the spaces come in pairs: OLD NEW")
    pairs = list(zip(arguments.spaces[::2], arguments.spaces[1::2]))
    runs = soon = 0
    print(f"| old | new | within 5 % after {SOON} | to 5 % | without the old | best at 20 | without the old |\n|---|---|" + "---:|" * 5)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for old, new in pairs:
            both = list(pool.map(lambda seed, old=old, new=new: retune(old, new, seed), range(1, arguments.seeds + 1)))
            seeded, cold = zip(*both)
            now = sum(curve[SOON - 1] <= 1.05 for curve in seeded)
            spent = [strategies.spent(curves, 1.05) for curves in (seeded, cold)]
            at_20 = [sum(curve[19] for curve in curves) / len(curves) for curves in (seeded, cold)]
            names = [path.name.split(".")[0] for path in (old, new)]
            print(f"| {names[0]} | {names[1]} | {now} of {len(both)} | {spent[0]:.1f} | {spent[1]:.1f} | {at_20[0]:.3f} | {at_20[1]:.3f} |", flush=True)
            runs, soon = runs + len(both), soon + now
    print(f"\n{soon} of {runs} runs are within 5 % after {SOON} evaluations")
    return 1 if soon < arguments.least * runs else 0


if __name__ == "__main__":
    sys.exit(main())
