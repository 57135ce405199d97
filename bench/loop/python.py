#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of `pawl run` after each kind of change of a Triton kernel (python_suite/, over the protocol that old builds know too).

    bench/loop/python.py [-n ROUNDS] [--seconds S] [--changes NAME,...] NAME=FOLDER...     FOLDER: an unpacked bundle, or dist

Each version has a repository of its own with a baseline of its own; they run in turns. No run begins after --seconds. Prints each
run as it ends, with its verdict and phases, then the medians."""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import repository

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "kernels/softmax.py"
EXP = "    weight = tl.exp(value - tl.max(value, 0))\n"
CHANGES = {  # the old and the new text; {} is the number of the round, so no round finds the code of another
    "nothing": None, "comment": ("    column = ", "    # comment {}\n    column = "),
    "same": ("Softmax of each row in Triton.", "Softmax of each row in Triton, {}."),
    "wrong": ("weight / tl.sum(weight, 0)", "1.0{}1 * weight / tl.sum(weight, 0)"),
    "slower": (EXP, EXP + "    for _ in range(0, 6{}):\n        weight = tl.sqrt(weight * weight + 1e-30)\n")}


class Version(repository.Repository):
    def __init__(self, text, scratch):
        self.name, _, home = text.partition("=")
        super().__init__(home, scratch / self.name)
        shutil.copytree(HERE / "python_suite", self.folder, dirs_exist_ok=True)
        self.begin()
        self.commit("Begin")
        seconds, _ = self.pawl("run", "--update-baseline")
        self.commit("Record")
        print(f"{self.name:8} baseline {seconds:6.2f} s", flush=True)
        self.seconds = {}

    def take(self, change, number):
        path = self.folder / KERNEL
        before = path.read_text()
        if CHANGES[change]:
            old, new = CHANGES[change]
            assert old in before
            path.write_text(before.replace(old, new.format(number)))
        self.commit(change)
        begin = time.monotonic()
        done = subprocess.run([self.home / "bin/pawl", "run"], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        row = self.verdict()["comparisons"][0]
        same = row["paired"] and row["paired"]["identical_code"]
        phases = next((line for line in done.stdout.splitlines() if ": build" in line), "")
        print(f"{number:3} {self.name:8} {change:8} {seconds:6.2f} s  {row['verdict']}{', same code' if same else ''}  ({phases})", flush=True)
        self.seconds.setdefault(change, []).append(seconds)
        if CHANGES[change]:
            self.git("reset", "-q", "--hard", "HEAD~1")
        return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=5, metavar="ROUNDS")
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--changes", default=",".join(CHANGES))
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(prefix="pawl-python-") as scratch:
        versions = [Version(text, pathlib.Path(scratch)) for text in options.versions]
        for number in range(options.n):
            for change in options.changes.split(","):
                for version in versions:
                    if time.monotonic() < end:
                        said = version.take(change, number)
                        if number == 0 and change == "slower":
                            print(said, flush=True)
        for change in options.changes.split(","):
            for version in versions:
                seconds = version.seconds.get(change)
                if seconds:
                    print(f"{change:8} {version.name:8} median {statistics.median(seconds):6.2f} s of {len(seconds)}: "
                          + " ".join(f"{one:.2f}" for one in seconds), flush=True)


if __name__ == "__main__":
    main()
