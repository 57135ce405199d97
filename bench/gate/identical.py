#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real trials of identical speed on this machine's CPUs. Three kernels (memory, compute, latency) on five sizes of some 10 us
to 1 ms, cold and warm: each turn gives every kernel other machine code of the same speed and runs `pawl run`, so each row is
one trial. Prints the verdicts, the spread of the blocks and the seconds that a row takes.

    bench/gate/identical.py [PAWL_FOLDER...] [-o FILE.json]     PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default

With --python cuda the rows are 16 cases of a kernel in Triton (python_rows/), from some 20 to 200 us on an H200. With --python cpu
it is one case of the same kernel in numpy, which shows that the script works.

Several programs take turns. FILE.json is written after each turn, and a later start goes on with it. A summary is all that a
start with --tell prints. Environment: TRIALS (300) of each program, MINUTES (240) after which no turn starts.
Exit 0: no false alarm. 1: a false alarm. 77: no pawl to run."""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/loop"))
import repository  # noqa: E402

TRIALS = int(os.environ.get("TRIALS", "300"))
MINUTES = float(os.environ.get("MINUTES", "240"))
# the body of a kernel that computes y = 2 x, and its elements from 10 us to 1 ms
KERNELS = {
    "memory": ("for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];", (20000, 80000, 300000, 900000, 2000000)),
    "compute": ("const float k = one;\n  for (int64_t i = 0; i < n; i++) {\n    float v = x[i];\n"
                "    for (int j = 0; j < 60; j++) v = v * k;\n    y[i] = 2 * v;\n  }", (500, 1500, 5000, 15000, 45000)),
    "latency": ("const float k = one, z = one - 1;\n  float carry = 0;\n  for (int64_t i = 0; i < n; i++) {\n"
                "    carry = (carry + x[i]) * z;\n    y[i] = 2 * x[i] * k + carry;\n  }", (4000, 12000, 40000, 150000, 500000)),
}
CACHES = ("cold", "warm")


class Rows(repository.Repository):
    """A repository whose kernels have other machine code in each version."""

    kernels, caches = tuple(KERNELS), CACHES

    def __init__(self, home, folder, cache):
        super().__init__(home, folder)
        self.pawl("init", "--example", "minimal", ".")
        self.begin()
        self.source = (self.folder / "kernels/scale_cpu.c").read_text()
        cases = "".join(f"  {name}_{i}: {{operator: {name}, n: {n}, dtype: f32}}\n"
                        for name, (_, sizes) in KERNELS.items() for i, n in enumerate(sizes))
        operator = (self.folder / "operators/scale.c").read_text()
        for name in KERNELS:
            (self.folder / f"operators/{name}.c").write_text(operator.replace('"scale"', f'"{name}"'))
        (self.folder / "pawl.yaml").write_text(
            "version: 1\noperators:\n" + "".join(f"  {name}: {{sources: [operators/{name}.c]}}\n" for name in KERNELS)
            + "kernels:\n" + "".join(f"  {name}_cpu: {{operator: {name}, device: cpu, sources: [kernels/{name}.c]}}\n" for name in KERNELS)
            + f"cases:\n{cases}check:\n" + "".join(f"  {name}: {{n: [1, 1000]}}\n" for name in KERNELS)
            + f"measure: {{cache: {cache}, samples: 60, processes: 6}}\n")
        self.version(0)
        self.commit("Begin")
        self.pawl("run", "--update-baseline", statuses=(0, 2))
        self.commit("Record")

    def version(self, number):
        for name, (body, _) in KERNELS.items():
            text = self.source.replace("for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];", body)
            text = text.replace("scale_cpu", f"{name}_cpu").replace('"scale"', f'"{name}"')
            text = text.replace("static const char *supports", "static volatile float one = 1;\n\nstatic const char *supports")
            (self.folder / f"kernels/{name}.c").write_text(f"{text}\nint version_{number}(int x) {{ return x * {number + 3} + 1; }}\n")


class PythonRows(repository.Repository):
    """A repository whose script is another one in each version: its documentation changes."""

    kernels, caches = ("rows",), ("cold",)
    measure, gate = "samples: 40, processes: 6", ""
    library, device, sizes, steps = "triton", "cuda", "M: 1024, N: 1024", [round(64 * 10 ** (i / 15)) for i in range(16)]

    def __init__(self, home, folder, cache):
        super().__init__(home, folder)
        self.begin()
        shutil.copytree(pathlib.Path(__file__).parent / "python_rows", self.folder, dirs_exist_ok=True)
        cases = "".join(f"  rows_{steps}: {{operator: steps, {self.sizes}, R: {steps}}}\n" for steps in self.steps)
        (self.folder / "pawl.yaml").write_text(
            "version: 1\noperators:\n  steps: {protocol: [python3, operators.py]}\n"
            f"kernels:\n  rows: {{operator: steps, device: {self.device}, protocol: [python3, steps_{self.library}.py]}}\n"
            f"cases:\n{cases}check:\n  steps: {{M: [1, 33], N: [64, 1000], R: [2]}}\nmeasure: {{cache: {cache}, {self.measure}}}\n{self.gate}")
        self.commit("Begin")
        self.pawl("run", "--update-baseline", statuses=(0, 2))
        self.commit("Record")

    def version(self, number):
        path = self.folder / f"steps_{self.library}.py"
        path.write_text(re.sub(r", \d+\.\"\"\"", f', {number}."""', path.read_text()))


class NumpyRows(PythonRows):
    measure, gate = "warmup: 1, samples: 4, processes: 2", repository.COARSE_GATE
    library, device, sizes, steps = "numpy", "cpu", "M: 8, N: 8", [2]


SUITES = {"": Rows, "cuda": PythonRows, "cpu": NumpyRows}


def turn(repo, cache, number):
    """The trials of one run."""
    repo.version(number)
    seconds, _ = repo.pawl("run", statuses=(0, 1, 2))
    rows = repo.verdict()["comparisons"]
    found = []
    for row in rows:
        paired = row.get("paired") or {}
        ratios = [math.log(b["candidate_ms"] / b["base_ms"]) for b in paired.get("blocks") or [] if not b["spoiled"]]
        found.append({"row": f"{row['kernel_name']} {row['case']}", "cache": cache, "verdict": row["verdict"], "reason": row.get("reason"),
                      "us": 1e3 * statistics.median(paired["base_samples_ms"]) if paired.get("base_samples_ms") else None,
                      "blocks": len(ratios), "block_sd": statistics.stdev(ratios) if len(ratios) > 2 else None,
                      "seconds": seconds / len(rows), "load": round(os.getloadavg()[0], 1)})
    return found


def tell(program, trials, suite):
    """Prints one program's trials by kernel and cache, and returns the number of false alarms."""
    alarms = 0
    for name in suite.kernels:
        for cache in suite.caches:
            rows = [row for row in trials if row["row"].startswith(name) and row["cache"] == cache]
            if not rows:
                continue
            words = {word: sum(row["verdict"] == word for row in rows) for word in sorted({row["verdict"] for row in rows})}
            false = words.get("regression", 0) + words.get("improvement", 0)
            alarms += false
            spread = [100 * row["block_sd"] for row in rows if row["block_sd"]]
            calls = [row["us"] for row in rows if row["us"]]
            print(f"{program}: {name}, {cache}: {len(rows)} trials, {words}; {min(calls, default=0):.0f} to {max(calls, default=0):.0f} us; "
                  f"median of {statistics.median(row['blocks'] for row in rows):g} blocks with sd "
                  f"{statistics.median(spread) if spread else math.nan:.2f} % (90 % of them below {sorted(spread)[int(.9 * len(spread))] if spread else math.nan:.2f} %); "
                  f"{statistics.median(row['seconds'] for row in rows):.2f} s a row; load {statistics.median(row['load'] for row in rows):.1f}")
    bound = 1 - .05 ** (1 / len(trials)) if trials and not alarms else math.nan
    print(f"{program}: {len(trials)} trials, {alarms} false alarms" + (f" (below {100 * bound:.2f} % at 95 % confidence)" if trials and not alarms else ""), flush=True)
    return alarms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homes", nargs="*", default=[str(ROOT / "dist")])
    parser.add_argument("-o", metavar="FILE.json")
    parser.add_argument("--tell", action="store_true")
    parser.add_argument("--python", choices=("cuda", "cpu"), default="")
    options = parser.parse_args()
    for home in options.homes:
        if not (pathlib.Path(home) / "bin/pawl").exists():
            print(f"identical.py: no program '{home}/bin/pawl'")
            raise SystemExit(77)
    suite = SUITES[options.python]
    out = pathlib.Path(options.o) if options.o else None
    kept = json.loads(out.read_text()) if out and out.exists() else {}
    trials = {home: kept.setdefault(home, []) for home in options.homes}
    end = time.monotonic() + 60 * MINUTES
    with tempfile.TemporaryDirectory(prefix="pawl-identical-") as scratch:
        repos, number = {}, 0
        while not options.tell and time.monotonic() < end and any(len(rows) < TRIALS for rows in trials.values()):
            number += 1
            for cache in suite.caches:
                for i, home in enumerate(options.homes):
                    if (home, cache) not in repos:
                        repos[home, cache] = suite(home, pathlib.Path(scratch) / f"{cache}-{i}", cache)
                    trials[home] += turn(repos[home, cache], cache, number)
                    if out:
                        out.write_text(json.dumps(kept, indent=1) + "\n")
            print(f"turn {number}: " + ", ".join(f"{len(rows)} trials" for rows in trials.values()), flush=True)
    return 1 if sum(tell(home, rows, suite) for home, rows in trials.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
