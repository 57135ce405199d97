#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good is what `pawl tune` recommends on a noisy machine? A kernel of 60 configurations does a known amount of work,
so that the true ratio of any two is known. The script tunes it again and again with different seeds and says how far
above the best each recommendation is.

Usage: finalists.py [--runs 20] [--budget 60s]"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

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


def run(folder, *words):
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", default="60s")
    arguments = parser.parse_args()
    best = min(work(a, b) for a in range(1, 11) for b in range(1, 7))
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}\n")
    print("| seed | recommended | over the best | tried | seconds |\n|---:|---|---:|---:|---:|")
    near = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder)
        for seed in range(1, arguments.runs + 1):
            begin = time.monotonic()
            subprocess.run(["pawl", "-q", "tune", "scale_cpu", "--case", "million", "--budget", arguments.budget, "--seed", str(seed)],
                           cwd=folder, check=False, capture_output=True)
            tune = json.loads((folder / "perf/out/tune/tune.json").read_text())
            seconds = time.monotonic() - begin
            if not tune["best"]:
                print(f"| {seed} | {tune['conclusion']} | | {tune['tried']} | {seconds:.0f} |", flush=True)
                continue
            params = {key: int(value) for key, value in tune["best"]["params"].items()}
            over = work(params["A"], params["B"]) / best
            near += over <= 1.03
            print(f"| {seed} | A={params['A']}, B={params['B']} | {(over - 1) * 100:.1f} % | {tune['tried']} | {seconds:.0f} |", flush=True)
    print(f"\n{near} of {arguments.runs} are within 3 % of the best")


if __name__ == "__main__":
    main()
