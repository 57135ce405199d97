#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of kill -9 for a search: it is killed at random places of its journal and resumed, again and again until it ends.
After each kill the journal must be the beginning of that of a search that nobody kills, save one line that is cut off.
At the end the two and what is printed must be equal. The space is invented and replayed, so a search is short.

Usage: kills.py [--kills 1000] [--seed 1]     pawl is the one on the path; exit status 1: something was lost

A kill counts if the search has not ended."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

EVALUATIONS = 120


def make_space(path):
    cache = {f"{a},{b}": {"A": a, "B": b, "time": 1 + (a - 9) ** 2 / 30 + (b - 6) ** 2 / 50 if (a + b) % 7 else "RuntimeFailedConfig"}
             for a in range(20) for b in range(20)}
    path.write_text(json.dumps({"device_name": "d", "kernel_name": "k", "tune_params_keys": ["A", "B"], "cache": cache}))


def lost_lines(journal, expected):
    """Evaluations whose line is not whole: 0 or 1. None: the journal is no beginning of the expected one."""
    whole = journal[:journal.rfind(b"\n") + 1]
    rest = journal[len(whole):]
    return len(rest[:1]) if expected.startswith(whole) else None


def size_of(path):
    return path.stat().st_size if path.exists() else 0


class Search:
    def __init__(self, folder, space, batch):
        self.folder, self.batch, self.number = folder, batch, 0
        self.words = ["pawl", "tune", "--replay", str(space), "--evaluations", str(EVALUATIONS), "--batch", str(batch)]
        self.printed = self.finish(folder / f"whole-{batch}")
        self.expected = (folder / f"whole-{batch}/tune.jsonl").read_bytes()

    def finish(self, folder, *words):
        return subprocess.run([*self.words, "-o", str(folder), *words], check=True, capture_output=True, text=True).stdout

    def until_killed(self, most, rng):
        """One search to its end, killed `most` times at most: (kills that met it, lines cut off, faults)."""
        self.number += 1
        folder = self.folder / f"killed-{self.batch}-{self.number}"
        journal, kept, kills, torn, faults = folder / "tune.jsonl", 0, 0, 0, []
        while kills < most:
            child = subprocess.Popen([*self.words, "-o", str(folder), "--resume"], stdout=subprocess.DEVNULL)
            target = size_of(journal) + rng.uniform(0, len(self.expected) / 4)
            least = size = size_of(journal)
            while child.poll() is None and size < target:  # without a sleep, which is longer than many lines take
                size = size_of(journal)
                least = min(least, size)
            child.kill()
            child.wait()
            said = journal.read_bytes() if journal.exists() else b""
            if len(said) == len(self.expected):
                break
            kills += 1
            lost = lost_lines(said, self.expected)
            if lost is None or least < kept:
                faults.append(f"{folder}: {len(said)} bytes are no beginning, or {kept} became {least}")
            kept = said.rfind(b"\n") + 1
            torn += lost or 0
        if self.finish(folder, "--resume") != self.printed or journal.read_bytes() != self.expected:
            faults.append(f"{folder}: another end")
        return kills, torn, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, begin, faults = random.Random(arguments.seed), time.monotonic(), []
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}\n\n| batch | searches | kills | lines cut off | faults |\n|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        make_space(pathlib.Path(name, "space.json"))
        for batch in (1, 8):
            search, kills, torn, wrong = Search(pathlib.Path(name), pathlib.Path(name, "space.json"), batch), 0, 0, []
            while kills < arguments.kills // 2:
                one = search.until_killed(arguments.kills // 2 - kills, rng)
                kills, torn, wrong = kills + one[0], torn + one[1], wrong + one[2]
            print(f"| {batch} | {search.number} | {kills} | {torn} | {len(wrong)} |", flush=True)
            faults += wrong
    print(f"\n{time.monotonic() - begin:.0f} s", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
