#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do processes that wait disturb the process that is timed? Selftests of one GPU kernel on two cases, with processes that
start ahead and, in turns, without: trials of identical code, then of injected slow-downs.

    bench/loop/trials.py [PAWL_FOLDER] [-o FILE.json]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

Environment: SAME (100), INJECTED (30) and ALONE (20), the trials of each case; SECONDS_IN_ALL (520).
Exit 0: no false alarm, no miss, and the standard deviation of blocks is within 10 % of that without processes that wait.
1: not. 77: there is no GPU, or no pawl to run."""

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

import repository
import run

SAME, INJECTED, ALONE = (int(os.environ.get(name, usual)) for name, usual in (("SAME", 100), ("INJECTED", 30), ("ALONE", 20)))
SECONDS_IN_ALL = float(os.environ.get("SECONDS_IN_ALL", "520"))
TURNS = 4
CASES = ("  two: {operator: attention, B: 16, H: 8, S: 448, D: 64, dtype: f16}\n")


class Trials:
    def __init__(self, home, folder, ahead, begin):
        self.repo, self.ahead, self.begin, self.trials, self.seconds = repository.Versioned(home, folder, True), ahead, begin, [], 0.0
        suite = self.repo.folder / "pawl.yaml"
        suite.write_text(suite.read_text().replace("check:\n", CASES + "check:\n"))

    def take(self, changes, count):
        """Has `count` trials of each change on each case, as far as there is time."""
        left = SECONDS_IN_ALL - (time.monotonic() - self.begin)
        if left < 5:
            return
        took, out = self.repo.pawl("--json", "selftest", "--case", "all", "--changes", changes, "--trials", str(count), "--budget",
                                   f"{left:.0f}s", "--seed", "1", statuses=(0, 1, 2), PAWL_AHEAD="1" if self.ahead else "0")
        self.seconds += took
        document = json.loads(out)
        self.trials = [trial for test in document.get("selftests", [document]) for trial in test["trials"]]

    def of(self, percent):
        return [trial for trial in self.trials if math.isclose(trial["injected_pct"], percent)]

    def block_sd(self):
        """The sd of a block's log-ratio: the root mean square over the trials of identical code."""
        sds = [trial["block_sd"] for trial in self.of(0) if trial["block_sd"] is not None]
        return math.sqrt(statistics.fmean(sd * sd for sd in sds)) if sds else math.nan


def describe(name, trials):
    answers = [trial["answer"] for trial in trials]
    counted = ", ".join(f"{answers.count(answer)} {answer}" for answer in sorted(set(answers)))
    blocks = statistics.median(trial["blocks"] for trial in trials) if trials else math.nan
    print(f"{name:34} {len(trials):4} trials: {counted}; median blocks {blocks}", flush=True)
    return {"name": name, "trials": len(trials), "answers": {a: answers.count(a) for a in set(answers)}, "median_blocks": blocks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("home", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent.parent / "dist")
    parser.add_argument("-o", metavar="FILE.json")
    options = parser.parse_args()
    if not (pathlib.Path(options.home) / "bin/pawl").exists() or not run.gpu_arch(options.home):
        print("trials.py: no pawl there, or no GPU here")
        raise SystemExit(77)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pawl-trials-") as scratch:
        ahead, alone = (Trials(options.home, pathlib.Path(scratch) / name, name == "ahead", begin) for name in ("ahead", "alone"))
        for turn in range(1, TURNS + 1):
            for trials, count in ((ahead, SAME), (alone, ALONE)):
                trials.take("0", max(1, count * turn // TURNS))
        ahead.take("3,5", INJECTED)
    rows = [describe("ahead, identical code", ahead.of(0)), describe("alone, identical code", alone.of(0)),
            describe("ahead, 3 % slower", ahead.of(3)), describe("ahead, 5 % slower", ahead.of(5))]
    sds = ahead.block_sd(), alone.block_sd()
    print(f"standard deviation of a block: {100 * sds[0]:.3f} % ahead, {100 * sds[1]:.3f} % alone, ratio {sds[0] / sds[1]:.3f}")
    print(f"{ahead.seconds:.0f} s ahead, {alone.seconds:.0f} s alone, {time.monotonic() - begin:.0f} s in all")
    if options.o:
        taken = [row for row in rows if row["trials"]]
        pathlib.Path(options.o).write_text(json.dumps({"rows": taken, "block_sd": sds}, indent=2) + "\n")
    alarms = sum(row["answers"].get("regression", 0) + row["answers"].get("improvement", 0) for row in rows[:2])
    missed = sum(row["answers"].get("maintained", 0) + row["answers"].get("improvement", 0) for row in rows[2:])
    sys.exit(0 if not alarms and not missed and abs(sds[0] / sds[1] - 1) <= 0.1 else 1)


if __name__ == "__main__":
    main()
