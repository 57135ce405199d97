#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `pawl bisect` find the commit? Each trial makes a repository of 128 commits whose machine code all differs, one of
which makes the kernel 3 % slower, and searches it on this machine's CPU.

    bench/gate/culprits.py [PAWL_FOLDER] [-o FILE.json] [--page BUILD]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

FILE.json is written after each trial, and a later start goes on with it. With --page it measures nothing: it prints
docs/results/bisect.md from FILE.json, and the simulated part from the unit test of the build folder.
Environment: TRIALS (20), COMMITS (128), PERCENT (3), SEED (1). Exit 0: all trials are right. 1: one is not."""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/loop"))
import repository  # noqa: E402

TRIALS = int(os.environ.get("TRIALS", "20"))
COMMITS = int(os.environ.get("COMMITS", "128"))
PERCENT = float(os.environ.get("PERCENT", "3"))
SUITE = """version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  main: {operator: scale, n: 30000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 2, samples: 20, processes: 2, cache: warm, timeout: 60s}
gate: {busy: count}
"""
LOOP = "for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];"
# A chain of dependent operations, so that the time is that of the core. NUMBER changes the code and not the time.
SLOW = """float sum = (float)NUMBER;
  for (int64_t i = 0; i < ROUNDS; i++) sum = sum * 0.5f + x[i % n];
  for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
  return sum > 1e30f;"""


def source(plain, number, culprit):
    rounds = "n" if number < culprit else f"(n + n * {round(PERCENT * 100)} / 10000)"
    return plain.replace(LOOP, SLOW.replace("NUMBER", str(number)).replace("ROUNDS", rounds)).replace("  return 0;\n", "", 1)


def make(repo, culprit):
    kernel = repo.folder / "kernels/scale_cpu.c"
    plain = kernel.read_text()
    assert LOOP in plain
    (repo.folder / "pawl.yaml").write_text(SUITE)
    kernel.write_text(source(plain, 0, culprit))
    repo.commit("Commit 0")
    branch = (repo.folder / ".git/HEAD").read_text().split()[1]
    stream = []
    for number in range(1, COMMITS + 1):
        subject, text = f"Commit {number}", source(plain, number, culprit)
        parent = f"from {branch}^0\n" if number == 1 else ""
        stream.append(f"commit {branch}\ncommitter bench <bench@localhost> {1700000000 + number} +0000\ndata {len(subject)}\n{subject}\n{parent}"
                      f"M 100644 inline kernels/scale_cpu.c\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.folder, input="".join(stream), text=True, check=True)
    repo.git("checkout", "-q", "-f", branch.removeprefix("refs/heads/"))
    repo.git("reset", "-q", "--hard")


def trial(home, number):
    culprit = random.Random(1000 * int(os.environ.get("SEED", "1")) + number).randint(1, COMMITS)
    with tempfile.TemporaryDirectory(prefix="pawl-bisect-") as scratch:
        repo = repository.Repository(home, scratch)
        repo.pawl("init", "--example", "minimal", ".")
        make(repo, culprit)
        begin = time.monotonic()
        repo.pawl("bisect", "--good", f"HEAD~{COMMITS}", "-o", "answer.json", statuses=(0, 2))
        seconds = time.monotonic() - begin
        answer = json.loads((repo.folder / "answer.json").read_text())
    find = answer["finds"][0] if answer["finds"] else None
    right = bool(find and find["commits"] == 1 and find["subject"] == f"Commit {culprit}")
    return {"culprit": culprit, "right": right, "proven": bool(find and find["proven"]), "undecided": answer["undecided"],
            "found": find and find["subject"], "slowdown_pct": find and find["slowdown_pct"], "before_ms": find and find["before_ms"],
            "measured": answer["measured"], "blocks": answer["blocks"], "seconds": round(seconds, 1), "load": round(os.getloadavg()[1], 1)}


def page(found, build):
    trials = found["trials"]
    done = subprocess.run([pathlib.Path(build) / "tests/unit/test_stats_bisection"], capture_output=True, text=True, check=True)
    rows = [line.removeprefix("change ") for line in (done.stdout + done.stderr).splitlines() if line.startswith("change ")]
    simulated = "\n".join(f"| {row.replace(':', ',', 1).replace(', ', ' | ')} |" for row in rows)
    real = "\n".join(f"| {t['culprit']} | {t['found'] or '-'} | {'yes' if t['right'] else '**no**'} | {'yes' if t['proven'] else 'no'} | {t['measured']} | {t['blocks']} | {t['seconds']:.0f} | {t['load']:.0f} |" for t in trials)
    middle = lambda key: statistics.median(t[key] for t in trials)
    return f"""# The search for a commit, simulated and measured

Written by `bench/gate/culprits.py --page`. [The decision](../adr/bisect.md) says how `pawl bisect` searches.

## Simulated

Histories of 128 commits, from `tests/unit/test_stats_bisection.c`, which asserts at least 98 %. Other processes disturb some blocks, which
then have ten times the noise. "Assumed" is the change that the search expects, as a share of the true one.

| true change | sd of a block | sd between builds | disturbed | assumed | right | blocks | commits measured |
|---|---|---|---|---|---|---|---|
{simulated}

## Measured

{found['date']}, {found['machine']}. Each trial has {COMMITS} commits with different machine code; one makes the kernel {PERCENT:g} % slower, which
takes about {1e3 * middle('before_ms'):.0f} us a call. Other jobs used the machine meanwhile: the load of each trial is beside it, so the seconds are no promise.
{sum(t['right'] for t in trials)} of {len(trials)} are right, with {middle('blocks'):.0f} blocks, {middle('measured'):.0f} commits and {middle('seconds'):.0f} s (medians, builds included).

| culprit | found | right | proven | commits measured | blocks | seconds | load |
|---|---|---|---|---|---|---|---|
{real}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("home", nargs="?", default=ROOT / "dist")
    parser.add_argument("-o", dest="path", type=pathlib.Path, default=pathlib.Path("bisect.json"))
    parser.add_argument("--page", metavar="BUILD")
    options = parser.parse_args()
    found = json.loads(options.path.read_text()) if options.path.exists() else None
    if options.page:
        print(page(found, options.page), end="")
        return 0
    found = found or {"date": time.strftime("%Y-%m-%d"), "machine": f"virtual machine, {os.cpu_count()} CPUs", "trials": []}
    while len(found["trials"]) < TRIALS:
        found["trials"].append(trial(options.home, len(found["trials"])))
        options.path.write_text(json.dumps(found, indent=1) + "\n")
        print(found["trials"][-1], flush=True)
    return 0 if all(t["right"] for t in found["trials"]) else 1


if __name__ == "__main__":
    sys.exit(main())
