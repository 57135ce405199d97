#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches on one GPU and on all of the machine, in turns: candidates a minute, who timed how many, what each found.

    bench/tuning/gpus.py [PAWL_FOLDER] [--cold] [--rounds 2] [--budget 60s] [-o FILE.json]

PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default. The kernel is the portable attention kernel; its 24
configurations are built before. In a last search on all GPUs one evaluator is killed with SIGKILL while it times. With
--cold nothing is built before: each search has a repository and a cache of builds of its own.
Exit 77: there are no two GPUs, or no pawl to run."""

import argparse
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench/loop"), str(ROOT / "tests/support")]
import evaluators  # noqa: E402
import repository  # noqa: E402
import run  # noqa: E402

SPACE = {"BLOCK_M": [64, 128], "BLOCK_N": [32, 64, 96, 128], "NUM_STAGES": [2, 3, 4]}
SUITE = """version: 1
kernels:
  tuned:
    {{operator: attention, device: cuda, sources: [kernels/sdpa_mma.cu], params: {{BLOCK_M: 64, BLOCK_N: 64, NUM_STAGES: 3}}, tune: {space}}}
cases:
  one: {case}
check:
  attention: {{S: [512], B: [2], H: [4], D: [64]}}
measure: {measure}
profile: {{regression: false, max_kernels: 0}}
"""


def make_repository(home, folder):
    repo = run.attention_repository(home, folder)
    (repo.folder / "pawl.yaml").write_text(SUITE.format(
        space=json.dumps(SPACE), case=repository.GPU_CASE, measure=repository.GPU_MEASURE))
    repo.commit("Begin")
    return repo


def command(devices, budget):
    words = ["-q", "--device", devices, "tune", "tuned", "--case", "one", "--strategy", "exhaustive", "--budget", budget, "--prior", "none"]
    return [*words, "--seed", "1"]


def journal_lines(repo):
    try:
        lines = (repo.folder / "perf/out/tune/tune.jsonl").read_text().splitlines()[1:]
    except OSError:
        return []
    return [json.loads(line) for line in lines if line.endswith("}")]


def kill_one(repo, process):
    """Kills an evaluator when some candidates are timed. Returns the evaluator, or None."""
    while process.poll() is None:
        if len(journal_lines(repo)) >= 4:
            victims = evaluators.at_work(repo.folder)
            if victims:
                os.kill(victims[0], signal.SIGKILL)
                return victims[0]
        time.sleep(0.02)
    return None


def search(repo, devices, budget, kill=False):
    shutil.rmtree(repo.folder / "perf/out/tune", ignore_errors=True)
    begin = time.monotonic()
    process = subprocess.Popen([repo.home / "bin/pawl", *command(devices, budget)], cwd=repo.folder, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    killed = kill_one(repo, process) if kill else None
    words = process.communicate()[0]
    seconds = time.monotonic() - begin
    if process.returncode not in (0, 2):
        raise SystemExit(f"pawl tune ends with {process.returncode}\n{words}")
    report = json.loads((repo.folder / "perf/out/tune/tune.json").read_text())
    timed = [line for line in journal_lines(repo) if "key" in line]
    screening = max(line["seconds"] for line in timed)
    by = collections.Counter(str(line.get("evaluator", devices)) for line in timed)
    row = {"devices": devices, "seconds": seconds, "screening_s": screening, "candidates": len(timed),
           "a_minute": 60 * len(timed) / screening, "by": dict(by), "outcome": words.strip().splitlines()[-1:],
           "killed": killed, "lost": sum("lost" in line for line in journal_lines(repo)), "team": report.get("team"),
           "ratios": {line["key"]: line["median_ms"] / line["current_ms"] for line in timed
                      if line.get("median_ms") and line.get("current_ms")}}
    after = f"; one killed, {row['lost']} asked again" if killed else ""
    print(f"--device {devices:6} {len(timed):3} candidates in {screening:6.2f} s, {row['a_minute']:6.1f} a minute; "
          f"{seconds:6.2f} s in all; {dict(by)}{after}", flush=True)
    for line in words.strip().splitlines()[:6]:
        print("   ", line, flush=True)
    return row


def count_gpus():
    if not shutil.which("nvidia-smi"):
        return 0
    return subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True).stdout.count("GPU ")


def compare(rows):
    """How far the ratios of one search are from those of the first, per configuration: a device's speed must cancel."""
    first = rows[0]["ratios"]
    for row in rows[1:]:
        apart = sorted(abs(ratio / first[key] - 1) for key, ratio in row["ratios"].items() if key in first)
        if apart:
            print(f"ratios of --device {row['devices']:6} beside the first search: median {100 * apart[len(apart) // 2]:.2f} %, "
                  f"most {100 * apart[-1]:.2f} % apart, of {len(apart)}", flush=True)


def search_built(options):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        repo = make_repository(options.home, folder)
        configurations = run.every_configuration(SPACE)
        built = run.build_all(repo, "tuned", configurations)
        print(f"{len(configurations)} configurations built in {built:.0f} s", flush=True)
        for _ in range(options.rounds):
            rows += [search(repo, devices, options.budget) for devices in ("0", "all")]
        rows.append(search(repo, "all", options.budget, kill=True))
    return rows


def search_cold(options):
    rows = []
    for devices in ("0", "all") * options.rounds:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(search(make_repository(options.home, folder), devices, options.budget))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", nargs="?", default=ROOT / "dist")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--budget", default="60s")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    gpus = count_gpus()
    if gpus < 2 or not (pathlib.Path(options.home) / "bin/pawl").exists():
        raise SystemExit(77)
    print(f"{gpus} GPUs, {os.cpu_count()} CPUs", flush=True)
    rows = search_cold(options) if options.cold else search_built(options)
    compare(rows)
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
