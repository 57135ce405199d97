#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a row of a suite with many CUDA kernels and cases takes, where each kernel has other machine code and the same speed.

    bench/loop/rows.py [--kernels N] [--cases N] [--slower PERCENT] [--isolation off] [--lines FILE] NAME=FOLDER[,VARIABLE=VALUE...]...

FOLDER is an unpacked bundle, or dist. Each version runs in a repository of its own, one after another. Prints the seconds of the
whole command, the seconds a row, the verdicts, the blocks, and the phases. --lines keeps the lines of -v with their times.
Exit 77: there is no GPU."""

import argparse
import math
import os
import pathlib
import shutil
import statistics
import tempfile

import repository
import run

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("memory", "arithmetic", "atomics", "wait")
MICROSECONDS = (20, 30, 45, 65, 90, 120, 150, 200, 250, 300)
VALUES = (1 << 16, 1 << 18, 1 << 20, 1 << 21, 1 << 19)


class Rows(repository.Repository):
    def __init__(self, home, folder, options):
        super().__init__(home, folder)
        self.options = options
        self.begin()
        for name in ("rows.cu", "rows_operator.c"):
            shutil.copy(HERE / name, self.folder)
        self.version(1, 0)
        self.commit("Begin")

    def version(self, number, per_mille):
        kernels = "".join(
            f"  {KINDS[k % len(KINDS)]}{k // len(KINDS) or ''}: {{operator: rows, device: cuda, sources: [rows.cu],\n"
            f"    params: {{KIND: {k % len(KINDS)}, VERSION: {1000 * number + k}, MORE_PER_MILLE: {per_mille}}}}}\n"
            for k in range(self.options.kernels))
        cases = "".join(f"  c{c}: {{operator: rows, n: {VALUES[c % len(VALUES)]}, us: {MICROSECONDS[c % len(MICROSECONDS)]}, dtype: f32}}\n"
                        for c in range(self.options.cases))
        (self.folder / "pawl.yaml").write_text(
            "version: 1\noperators:\n  rows: {sources: [rows_operator.c]}\n"
            f"kernels:\n{kernels}cases:\n{cases}measure: {repository.GPU_MEASURE[:-1]}, isolation: {self.options.isolation}}}\n"
            "profile: {regression: false, max_kernels: 0}\n")
        self.pawl("build")

    def judge(self, per_mille, lines):
        """Judges a version against the last commit."""
        self.version(2, per_mille)
        words = ["run", "--against", "HEAD", "--references", "none"]
        if not lines:
            return self.pawl(*words, statuses=(0, 1, 2))[0]
        said = self.clock(*words, statuses=(0, 1, 2))
        lines.write("\n".join([f"# {self.home}", *said]) + "\n")
        return float(said[-1].split()[0])


def block_sd(rows):
    """The standard deviation of a block's log-ratio in percent: the root mean square over rows."""
    sds = [row["paired"]["block_sd"] for row in rows if row.get("paired") and row["paired"].get("block_sd")]
    return 100 * math.sqrt(statistics.fmean(sd * sd for sd in sds)) if sds else math.nan


def slowdowns(rows):
    found = sorted(row["paired"]["slowdown_pct"] for row in rows if row.get("paired") and row["paired"]["slowdown_pct"] is not None)
    return f"{found[0]:+.1f} to {found[-1]:+.1f} %" if found else "no estimate"


def describe(name, rows, seconds):
    document = rows.verdict()
    comparisons = document["comparisons"]
    verdicts = [row["verdict"] for row in comparisons]
    counted = ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts)))
    blocks = [len(row["paired"]["blocks"]) for row in comparisons if row.get("paired")]
    phases = run.measured_phases(rows, seconds)
    kernels = {}
    for row in comparisons:
        kernels.setdefault(row["kernel_name"], []).append(row)
    print(f"{name:10} {seconds:7.2f} s, {seconds / len(verdicts):.3f} s a row; {counted}; "
          f"{sum(blocks)} blocks, {statistics.median(blocks or [0]):g} a row; sd of a block {block_sd(comparisons):.2f} %", flush=True)
    print("    " + ", ".join(f"{kernel}: {block_sd(of):.2f} %, {slowdowns(of)}" for kernel, of in kernels.items()), flush=True)
    print("    " + ", ".join(f"{key} {value:.2f}" for key, value in phases.items() if value and value >= 0.05), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=int, default=4)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--slower", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--isolation", default="available")
    parser.add_argument("--lines", type=argparse.FileType("a"), metavar="FILE")
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER[,VARIABLE=VALUE...]")
    options = parser.parse_args()
    if not run.gpu_arch(options.versions[0].partition("=")[2].split(",")[0]):
        print("rows.py: there is no GPU")
        raise SystemExit(77)
    with tempfile.TemporaryDirectory(prefix="pawl-rows-") as scratch:
        for number, version in enumerate(options.versions):
            name, _, rest = version.partition("=")
            home, *variables = rest.split(",")
            os.environ.update(variable.split("=", 1) for variable in variables)
            rows = Rows(home, pathlib.Path(scratch) / str(number), options)
            describe(name, rows, rows.judge(round(10 * options.slower), options.lines))
            for variable in variables:
                os.environ.pop(variable.split("=", 1)[0])


if __name__ == "__main__":
    main()
