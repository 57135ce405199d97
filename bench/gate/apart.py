#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the sandbox disturb times? Runs `pawl selftest --changes 0` of the demo's kernel, or with --cuda of a small kernel
on a GPU, again and again, in turns with the sandbox and without it, and prints how each kind of trial ended and the spread
of its blocks.

    bench/gate/apart.py [PAWL_FOLDER] [--cuda] [-o FILE.json]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

FILE.json is written after each turn, and a later start goes on with it. Environment: MINUTES (60) after which no turn
starts, TRIALS ("2 1") of a turn with the sandbox and without it. Blocks that others disturb count too.
Exit 0: no false alarm. 1: a false alarm. 77: no pawl to run."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/loop"))
import repository  # noqa: E402

MINUTES = float(os.environ.get("MINUTES", "60"))
TRIALS = [int(word) for word in os.environ.get("TRIALS", "2 1").split()]
KINDS = [("full", "required"), ("none", "off")]  # the level of isolation, and the word of the suite for it
SUITE = """version: 1
kernels:
  sdpa: {operator: attention, device: cpu, sources: [kernels/attention/sdpa_cpu.c]}
cases:
  short: {operator: attention, B: 1, H: 2, S: 128, D: 64, dtype: f32}
check: {attention: {S: [64, 128], B: [1], H: [2], D: [64]}}
measure: {warmup: 2, samples: 4, processes: 1, threads: 1, isolation: %s}
gate: {busy: count}
"""


def start(home, folder, word, cuda):
    if cuda:
        return repository.Versioned(home, folder, True, repository.GPU_MEASURE[:-1] + f", isolation: {word}}}")
    repo = repository.Repository(home, folder)
    repo.begin()
    (repo.folder / "kernels").mkdir()
    (repo.folder / "kernels/attention").symlink_to(repo.home / "share/pawl/kernels/attention")
    (repo.folder / "pawl.yaml").write_text(SUITE % word)
    return repo


def turn(repo, level, trials):
    """The trials that one selftest adds; each with the machine's load when they ended."""
    begin = time.monotonic()
    repo.pawl("selftest", "--changes", "0", "--trials", str(trials), statuses=(0, 1))
    found = json.loads((repo.folder / "perf/out/selftest.json").read_text())
    shutil.rmtree(repo.folder / ".pawl/selftest")  # else the next one goes on with these trials
    load = round(os.getloadavg()[1], 1)
    seconds = round((time.monotonic() - begin) / trials, 1)
    return found, [{"isolation": level, "load": load, "seconds": seconds, **trial} for trial in found["trials"]]


def tell(trials):
    """Whether there was a false alarm."""
    alarms = 0
    for level, _ in KINDS:
        rows = [row for row in trials if row["isolation"] == level]
        if not rows:
            continue
        answers = {word: sum(row["answer"] == word for row in rows) for word in ("regression", "improvement", "maintained", "inconclusive")}
        alarms += answers["regression"] + answers["improvement"]
        spread = [100 * row["block_sd"] for row in rows]
        print(f"{level}: {len(rows)} trials, {answers}, blocks {statistics.median(row['blocks'] for row in rows):g}, "
              f"block sd {statistics.median(spread):.2f} % [{min(spread):.2f}, {max(spread):.2f}]", flush=True)
    return alarms > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home", nargs="?", default=ROOT / "dist")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("-o", metavar="FILE.json")
    options = parser.parse_args()
    if not (pathlib.Path(options.home) / "bin/pawl").exists():
        print(f"apart.py: no program '{options.home}/bin/pawl'")
        raise SystemExit(77)
    out = pathlib.Path(options.o) if options.o else None
    kept = json.loads(out.read_text()) if out and out.exists() else {"trials": []}
    end = time.monotonic() + 60 * MINUTES
    with tempfile.TemporaryDirectory(prefix="pawl-apart-") as scratch:
        repos = [start(options.home, pathlib.Path(scratch) / level, word, options.cuda) for level, word in KINDS]
        while time.monotonic() < end:
            for (level, _), repo, count in zip(KINDS, repos, TRIALS):
                if count == 0:
                    continue
                found, trials = turn(repo, level, count)
                kept.update({key: found[key] for key in ("kernel_name", "case", "hardware", "code_hash", "policy", "samples")})
                kept["flush_bytes"] = os.environ.get("PAWL_CPU_CACHE_BYTES", "as the machine says")
                kept["trials"] += trials
                if len({trial["seed"] for trial in kept["trials"]}) < len(kept["trials"]):
                    raise SystemExit("apart.py: a trial is there twice")
                if out:
                    out.write_text(json.dumps(kept, indent=1) + "\n")
            tell(kept["trials"])
    return 1 if tell(kept["trials"]) else 0


if __name__ == "__main__":
    sys.exit(main())
