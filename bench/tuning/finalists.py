#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good is what `pawl tune` recommends on a noisy machine? A kernel of 60 configurations does a known amount of work,
so that the true ratio of any two is known. The script tunes it again and again with different seeds and says how far
above the best each recommendation is.

Usage: finalists.py [--runs 20] [--budget 60s] [--cpus 4-15] [-o FOLDER]

With --cpus, runs go on side by side, each on two CPUs of its own. FOLDER gets tune.json of each run."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

from cpu_pairs import pinned, run, side_by_side

WORK = "(1000 + 25 * (A > 7 ? A - 7 : 7 - A) * (A > 7 ? A - 7 : 7 - A) + 35 * (B > 3 ? B - 3 : 3 - B) * (B > 3 ? B - 3 : 3 - B))"
KERNEL = f"""  volatile float sum = 0;
  for (int64_t i = 0; i < 400 * {WORK}; i++) sum = sum + x[i & 1023];
"""


def work(a, b):
    return 1000 + 25 * (a - 7) ** 2 + 35 * (b - 3) ** 2


def make(folder):
    run(folder, "pawl", "-q", "init", ".", "--example", "minimal")
    kernel = folder / "kernels/scale_cpu.c"
    text = kernel.read_text()
    begin = "  for (int64_t i = 0; i < n; i++) y[i]"
    assert begin in text
    kernel.write_text(text.replace(begin, KERNEL + begin))
    suite = folder / "pawl.yaml"
    text = suite.read_text().replace(
        "sources: [kernels/scale_cpu.c]}",
        "sources: [kernels/scale_cpu.c], params: {A: 1, B: 1},\n    tune: {A: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], B: [1, 2, 3, 4, 5, 6]}}")
    suite.write_text(text.replace("n: 1000000", "n: 4096") + "gate: {busy: count}\n")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    run(folder, "git", "add", "-A")
    run(folder, "git", *identity, "commit", "-qm", "A kernel of known work")


def tune(folder, seed, budget, cpus, output):
    """Tunes in a new folder, on these CPUs, and returns the row of the table and whether the run came within 3 %."""
    folder = folder / str(seed)
    folder.mkdir()
    make(folder)
    begin = time.monotonic()
    command = ["pawl", "-q", "tune", "scale_cpu", "--case", "million", "--budget", budget, "--seed", str(seed)]
    subprocess.run(pinned(cpus, command), cwd=folder, check=False, capture_output=True)
    result = json.loads((folder / "perf/out/tune/tune.json").read_text())
    seconds = time.monotonic() - begin
    if output:
        (output / f"{seed}.json").write_text(json.dumps(result))
    if not result["best"]:
        return f"| {seed} | {result['conclusion']} | | {result['tried']} | {seconds:.0f} |", False
    params = {key: int(value) for key, value in result["best"]["params"].items()}
    best = min(work(a, b) for a in range(1, 11) for b in range(1, 7))
    over = work(params["A"], params["B"]) / best
    return f"| {seed} | A={params['A']}, B={params['B']} | {(over - 1) * 100:.1f} % | {result['tried']} | {seconds:.0f} |", over <= 1.03


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--cpus", help="run side by side on pairs of these CPUs, such as 4-15")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}\n")
    print("| seed | recommended | over the best | tried | seconds |\n|---:|---|---:|---:|---:|")
    near = 0
    with tempfile.TemporaryDirectory() as name:
        work = lambda seed, cpus: tune(pathlib.Path(name), seed, arguments.budget, cpus, arguments.output)
        for row, is_near in side_by_side(arguments.cpus, work, range(1, arguments.runs + 1)):
            near += is_near
            print(row, flush=True)
    print(f"\n{near} of {arguments.runs} are within 3 % of the best")


if __name__ == "__main__":
    main()
