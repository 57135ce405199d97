#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effect of each constant of src/tune/surrogate_constants.h on the recorded spaces: a table of the costs of half and of
twice the value. Each variant is pawl with another surrogate.c. A number is the change of the score (1 for a search that has the optimum
at once, 0 for chance, over 100 evaluations) in thousandths, with the standard error of the paired seeds in parentheses.
"same" means that every evaluation of every search stays the same.

Constants of batches are measured with --batch 8, and those of an earlier search with --prior. The others are measured with
one question at a time. REPORT_SWEEPS belongs to reports and is left out.

Usage: constants.py --build BUILD [--seeds 8] [--jobs N] [--only NAME]..."""

import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile

import strategies

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "src/tune/surrogate_constants.h"
RECORDED = ROOT / "docs/results/tuning-h100/recorded"
CHANGED = ROOT / "docs/results/tuning-h100/changed"
EVALUATIONS = 100
DEFINE = re.compile(r"^#define (\w+) (?:\\\n\s+)?([\d.]+)(u?)(?=\s)", re.MULTILINE)
LEFT_OUT = {"REPORT_SWEEPS"}
OF_BATCHES = re.compile(r"APART|WIDER|LEARN")
OF_EARLIER = re.compile(r"KNOWN|TRUST")


def constants():
    return {name: (value, unsigned) for name, value, unsigned in DEFINE.findall(HEADER.read_text(encoding="utf-8")) if name not in LEFT_OUT}


def scaled(value, unsigned, factor):
    return f"{max(1, round(int(value) * factor))}u" if unsigned else repr(float(value) * factor)


def link(build, folder, name, value):
    """pawl with another value of a constant."""
    (folder / "tune").mkdir(parents=True)
    text = DEFINE.sub(lambda match: f"#define {name} {value}" if match[1] == name else match[0], HEADER.read_text(encoding="utf-8"))
    (folder / "tune" / HEADER.name).write_text(text, encoding="utf-8")
    rows = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    row = next(row for row in rows if row["file"].endswith("/tune/surrogate.c"))
    words = shlex.split(row["command"])
    words[words.index("-o") + 1] = str(folder / "surrogate.o")
    words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{folder}")
    subprocess.run(words, cwd=row["directory"], check=True)
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "src/cli/pawl"], capture_output=True, text=True, check=True)
    words = shlex.split(commands.stdout.splitlines()[-1])
    at = words.index("-o") + 1
    words[at:at + 1] = [str(folder / "pawl"), str(folder / "surrogate.o")]
    subprocess.run(words, cwd=build, check=True)
    return folder / "pawl"


def spaces_of(name):
    """[(space, the words of its replay)]"""
    pairs = [(old, CHANGED / old.name.replace(".json.gz", "_changed.json.gz")) for old in sorted(RECORDED.glob("*.json.gz"))]
    if OF_EARLIER.search(name):
        return [(space, ["--prior", str(prior)]) for old, new in pairs for space, prior in ((old, new), (new, old))]
    words = ["--batch", "8"] if OF_BATCHES.search(name) else []
    return [(space, words) for pair in pairs for space in pair]


def curve_of(pawl, space, words, seed):
    command = [pawl, "--json", "tune", "--replay", space, "--seed", str(seed), "--evaluations", str(EVALUATIONS), *words]
    steps = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["best_found"]
    return [(step["evaluations"], step["over_optimum"]) for step in steps]


def score(curve, chance):
    total, best, at = 0, chance[0], 0
    for n in range(1, EVALUATIONS + 1):
        while at < len(curve) and curve[at][0] <= n:
            best, at = curve[at][1], at + 1
        total += (chance[n - 1] - best) / (chance[n - 1] - 1)
    return total / EVALUATIONS


def read_chance(space):
    with gzip.open(space, "rt", encoding="utf-8") as file:
        return strategies.chance(json.load(file))


def effect(curves, others, chances, seeds):
    """The change of the score, as text."""
    if curves == others:
        return "same"
    by_seed = [statistics.mean(score(others[key], chances[key[0]]) - score(curves[key], chances[key[0]]) for key in curves if key[1] == seed)
               for seed in seeds]
    return f"{statistics.mean(by_seed) * 1e3:+.1f} ({statistics.stdev(by_seed) / len(by_seed) ** 0.5 * 1e3:.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=8, help="two or more")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append")
    arguments = parser.parse_args()
    build, seeds = arguments.build.resolve(), range(1, arguments.seeds + 1)
    print("| constant | value | half | double |\n|---|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        chances, kept = {}, {}

        def search(pawl, name):
            jobs = {(space, seed): pool.submit(curve_of, pawl, space, words, seed) for space, words in spaces_of(name) for seed in seeds}
            return {key: job.result() for key, job in jobs.items()}

        for name, (value, unsigned) in constants().items():
            if arguments.only and name not in arguments.only:
                continue
            words = tuple(map(str, spaces_of(name)))
            if words not in kept:
                kept[words] = search(build / "src/cli/pawl", name)
                chances |= {space: read_chance(space) for space, _ in spaces_of(name) if space not in chances}
            cells = []
            for factor in (0.5, 2):
                changed = scaled(value, unsigned, factor)
                pawl = link(build, pathlib.Path(folder, f"{name}-{factor}"), name, changed)
                cells.append(effect(kept[words], search(pawl, name), chances, seeds))
                pawl.unlink()
            print(f"| `{name}` | {value} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
