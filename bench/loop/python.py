#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of `pawl run` after each kind of change of a Triton kernel (python_suite/, over the protocol that old builds know too).

    bench/loop/python.py [-n ROUNDS] [--seconds S] [--changes NAME,...] [--rows N] [--cpu] NAME=FOLDER...     FOLDER: an unpacked bundle, or dist

Each version has a repository of its own with a baseline of its own; they run in turns. No run begins after --seconds. Prints each
run as it ends, with its verdict and phases, then the medians. With --rows, at least N trials of identical speed follow
(bench/gate/identical.py), and no turn of them starts later than --turn seconds before the end of --total. --cpu takes kernels in
numpy on small shapes, which shows that the script works. For an H200: -n 5 --seconds 210 --rows 100 --total 400."""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import repository

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "kernels/softmax.py"
CHANGES = {  # a pattern and its replacement; {} is the number of the round, so no round finds the code of another
    "nothing": None, "comment": (r"(    weight = )", r"    # comment {}\n\1"), "same": (r"(Softmax of each row)", r"\1, {},"),
    "wrong": (r"\(weight / ", "(1.0{}1 * weight / "),
    "slower": (r"(    weight = .*\n)", r"\1    for _ in range(0, 6{}):\n        weight = LIBRARY.sqrt(weight * weight + 1e-30)\n")}


class Version(repository.Repository):
    def __init__(self, text, scratch, cpu):
        self.name, _, home = text.partition("=")
        self.library = "np" if cpu else "tl"
        super().__init__(home, scratch / self.name)
        shutil.copytree(HERE / "python_suite", self.folder, dirs_exist_ok=True)
        if cpu:
            shutil.move(self.folder / "kernels/softmax_numpy.py", self.folder / KERNEL)
            suite = self.folder / "pawl.yaml"
            text = suite.read_text().replace("device: cuda, ", "").replace("4096", "128")
            suite.write_text(text + "measure: {warmup: 1, samples: 4, processes: 2}\n" + repository.COARSE_GATE)
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
            pattern, new = CHANGES[change]
            after = re.sub(pattern, new.format(number).replace("LIBRARY", self.library), before, count=1)
            assert after != before
            path.write_text(after)
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
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--total", type=float, default=400)
    parser.add_argument("--turn", type=float, default=45)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--changes", default=",".join(CHANGES))
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER")
    options = parser.parse_args()
    begin = time.monotonic()
    end = begin + options.seconds
    with tempfile.TemporaryDirectory(prefix="pawl-python-") as scratch:
        versions = [Version(text, pathlib.Path(scratch), options.cpu) for text in options.versions]
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
    if options.rows:
        minutes = max(options.total - options.turn - (time.monotonic() - begin), 0) / 60
        done = subprocess.run([sys.executable, HERE.parent / "gate/identical.py", "--python", "cpu" if options.cpu else "cuda",
                               *(text.partition("=")[2] for text in options.versions)],
                              env={**os.environ, "TRIALS": str(options.rows), "MINUTES": str(minutes)})
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
