#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the findings of pawl in the pairs of kernels: judge.py PAWL FILE.csv[.gz]... Prints for each pair the first finding of the
flawed kernel, which must be the planted flaw, the gain that its rule expects beside the gain of the fixed kernel, and the first line of
the change from flawed to fixed. With --least N the exit status is 1 when pawl names fewer flaws first."""
import argparse
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# the pairs of teaching.cu, planted.cu and more.cu, and the rule of the flaw
TEACHING = {name: name.replace("_", "-") for name in (
    "uncoalesced", "bank_conflicts", "spills", "low_occupancy", "divergence", "tail", "dram_bound", "tensor_bound")}
PLANTED = {"features": "uncoalesced", "transpose": "bank-conflicts", "recurrence": "spills", "smooth": "low-occupancy",
           "relax_by_data": "divergence", "relax": "tail", "levels": "atomics", "polynomial": "dependency-chain",
           "skinny_product": "l2-order", "decay": "fp64", "digits": "integer-division", "half_product": "tensor-unused"}
MORE = {"local_array": "local-array", "uncoalesced_stores": "uncoalesced", "shared_stores": "bank-conflicts",
        "shared_atomics": "shared-atomics", "products_in_turn": "async-serial", "copies_in_turn": "async-serial", "barrier": "barrier",
        "small_launch": "small-launch", "hash_chain": "dependency-chain", "radix": "integer-division", "index_division": "integer-division",
        "global_sum": "atomics", "float_product": "tensor-unused", "gauss": "fp64"}


def rows_of(path):
    """For each kernel such as tail_fixed its row: {column: (value, unit)}."""
    data = pathlib.Path(path).read_bytes()
    lines = (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()
    head, units, *rows = csv.reader(lines[next(i for i, line in enumerate(lines) if line.startswith('"')):])
    kernels = {}
    for row in rows:
        name = row and re.search(r"(\w+_(?:flawed|fixed))\b", row[head.index("Kernel Name")])
        if name:
            kernels[name[1]] = dict(zip(head, zip(row, units)))
    return kernels


def write(file, kernels):
    """One table of kernels, which need not have the same columns, but the same units."""
    units = {}
    for row in kernels:
        for column, (_, unit) in row.items():
            if units.setdefault(column, unit) != unit:
                raise ValueError(f"the unit of {column} is {units[column]} and {unit}: join the tables of one profiler")
    table = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    table.writerow(units)
    table.writerow(units.values())
    table.writerows([row.get(column, ("", ""))[0] for column in units] for row in kernels)


def profile_of(pawl, file):
    """The time and the findings of the kernel."""
    told = subprocess.run([pawl, "--json", "profile", "--import", file], capture_output=True, check=True)
    kernel, = json.loads(told.stdout)["kernels"]
    return kernel["counters"]["duration_s"], kernel["findings"]


def judge(pawl, title, flaws, files):
    named = judged = 0
    for pair, flaw in flaws.items():
        flawed, fixed = (files.get(f"{pair}_{kind}") for kind in ("flawed", "fixed"))
        if not flawed or not fixed:
            continue
        (before, findings), (after, _) = profile_of(pawl, flawed), profile_of(pawl, fixed)
        first = findings[0] if findings else {"id": "nothing", "evidence": "", "cost_pct": 0}
        right = first["id"] == flaw
        judged, named = judged + 1, named + right
        change = subprocess.run([pawl, "profile", "--import", fixed, "--base", flawed], capture_output=True, text=True,
                                check=True).stdout.splitlines()[0]
        print(f"{'ok ' if right else 'NOT'} {pair}: {first['id']}: {first['evidence']}")
        if not right:
            print(f"    wanted {flaw}; findings:", ", ".join(f"{f['id']} {f['cost_pct']:.0f} %" for f in findings))
        expected = f"expected {first['cost_pct']:.0f} %, " if first.get("kind") == "cause" else ""
        print(f"    gain: {expected}measured {(1 - after / before) * 100:.0f} %\n    fixed: {change}")
    if judged:
        print(f"{title}: {named} of {judged} flaws are named first")
    return named


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pawl")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--join", metavar="FILE.csv.gz", help="also write all kernels into one table")
    arguments = parser.parse_args()
    kernels = {}
    for path in arguments.files:
        kernels.update(rows_of(path))
    if arguments.join:
        with gzip.open(arguments.join, "wt", newline="") as file:
            write(file, kernels.values())
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder, name + ".csv") for name in kernels}
        for name, row in kernels.items():
            with files[name].open("w", newline="") as file:
                write(file, [row])
        named = sum(judge(arguments.pawl, *row, files) for row in (("teaching", TEACHING), ("planted", PLANTED), ("more", MORE)))
    return 0 if named >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
