#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows "same" and "slower" of run.py, for several versions of pawl in turns on one machine: their difference does not
depend on what else changed between two machines, or between two hours.

    bench/loop/turns.py [-n ROUNDS] [--rows same,slower] NAME=FOLDER[,VARIABLE=VALUE...]...     FOLDER: an unpacked bundle, or dist

Prints each run as it ends, then the medians: whole command, until the verdict is printed, phases. The first run of a
version does not count, since it builds. Exit 77: there is no GPU."""

import argparse
import os
import pathlib
import statistics
import tempfile

import repository
import run


class Version:
    def __init__(self, text, scratch):
        name, _, rest = text.partition("=")
        home, *variables = rest.split(",")
        self.name, self.environment = name, dict(variable.split("=", 1) for variable in variables)
        self.rows = {"same": [], "slower": []}
        with self:
            self.repo = repository.Versioned(home, scratch / name, True)
            self.spin = int(self.repo.record() * 1e6 * 0.05)

    def __enter__(self):
        self.before = dict(os.environ)
        os.environ.update(self.environment)
        return self

    def __exit__(self, *_):
        os.environ.clear()
        os.environ.update(self.before)

    def take(self, row, number):
        with self:
            self.repo.version(number, self.spin if row == "slower" else 0)
            whole, said = self.repo.run((0, 1, 2))
        verdicts = " ".join(one["verdict"] for one in self.repo.verdict()["comparisons"])
        print(f"{number:4} {self.name:12} {row:7} whole {whole:6.3f}  said {said:6.3f}  {verdicts}", flush=True)
        self.rows[row].append((whole, said, verdicts, run.measured_phases(self.repo, whole)))


def summary(version, row):
    """The medians of what counts."""
    runs = version.rows[row][1:] if row == "same" else version.rows[row]
    if not runs:
        return ""
    whole, said = (statistics.median(one[k] for one in runs) for k in (0, 1))
    phases = run.median_phases([one[3] for one in runs])
    shares = ", ".join(f"{key} {value:.2f}" for key, value in phases.items() if value >= 0.02)
    verdicts = sorted({one[2] for one in runs})
    return f"{version.name:12} {row:7} whole {whole:5.2f}  said {said:5.2f}  of {len(runs)}  {', '.join(verdicts)}\n    {shares}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=5, metavar="ROUNDS")
    parser.add_argument("--rows", default="same,slower")
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER[,VARIABLE=VALUE...]")
    options = parser.parse_args()
    if not run.gpu_arch(options.versions[0].partition("=")[2].split(",")[0]):
        print("turns.py: there is no GPU")
        raise SystemExit(77)
    wanted = options.rows.split(",")
    with tempfile.TemporaryDirectory(prefix="pawl-turns-") as scratch:
        versions = [Version(text, pathlib.Path(scratch)) for text in options.versions]
        for number in range(1, options.n + 2):
            for row in wanted:
                for version in versions[number % len(versions):] + versions[: number % len(versions)]:
                    version.take(row, number + (100 if row == "slower" else 0))
        for row in wanted:
            for version in versions:
                print(summary(version, row), flush=True)


if __name__ == "__main__":
    main()
