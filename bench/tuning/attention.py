#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches for the parameters of the attention kernels that pawl ships, one after another: how many candidates a minute,
and what each search found. Nothing is built before; the searches share one cache of builds.

    bench/tuning/attention.py [PAWL_FOLDER] [--only NAME...] [-o FOLDER]

PAWL_FOLDER: an unpacked bundle, or dist; ../../dist by default. FOLDER gets tune.json and the journal of
each search, compressed. Exit 77: there is no GPU, or no pawl to run."""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/loop"))
import repository  # noqa: E402
import run  # noqa: E402

CASES = {
    "training_512": "{operator: attention, B: 32, H: 8, S: 512, D: 64, dtype: f16}",
    "inference_2k": "{operator: attention, B: 8, H: 8, S: 2048, D: 64, dtype: f16}",
    "causal_4k": "{operator: attention, B: 4, H: 8, S: 4096, D: 64, causal: true, dtype: f16}",
    "wide_1k": "{operator: attention, B: 16, H: 8, S: 1024, D: 128, dtype: f16}",
}
MMA = ("sdpa_mma.cu", {
    "BLOCK_M": [64, 128, 192, 256], "BLOCK_N": [16, 32, 64, 96, 128], "NUM_STAGES": [2, 3, 4], "NUM_WARPS": [4, 8],
    "constraints": ["BLOCK_M % (16 * NUM_WARPS) == 0", "BLOCK_N % (4 * NUM_WARPS) == 0",
                    "(BLOCK_M + 2 * NUM_STAGES * BLOCK_N) * 128 <= 227 * 1024"]})
MMA_WIDE = ("sdpa_mma.cu", {
    "BLOCK_M_D128": [64, 128], "BLOCK_N_D128": [16, 32, 64, 96], "NUM_STAGES_D128": [2, 3, 4], "NUM_WARPS_D128": [4, 8],
    "constraints": ["BLOCK_M_D128 % (16 * NUM_WARPS_D128) == 0",
                    "(BLOCK_M_D128 + 2 * NUM_STAGES_D128 * BLOCK_N_D128) * 256 <= 227 * 1024"]})
HOPPER = ("sdpa_hopper.cu", {
    "WARPGROUPS_D64": [2, 3, 4], "BLOCK_N_D64": [64, 128], "STAGES_D64": [4, 6, 8], "TURNS_D64": [0, 1],
    "LOADERS_D64": [1, 2, 4], "QUERIES_IN_REGISTERS_D64": [0, 1], "SUMS_BY_PRODUCT": [0, 1],
    "constraints": ["LOADERS_D64 <= WARPGROUPS_D64",
                    "WARPGROUPS_D64 * 16384 + (STAGES_D64 * 2 + SUMS_BY_PRODUCT) * BLOCK_N_D64 * 128 <= 226 * 1024"]})
HOPPER_WIDE = ("sdpa_hopper.cu", {
    "WARPGROUPS_D128": [2, 3], "BLOCK_N_D128": [64, 128], "STAGES_D128": [4, 5], "TURNS_D128": [0, 1],
    "LOADERS_D128": [1, 2, 3], "QUERIES_IN_REGISTERS_D128": [0, 1],
    "constraints": ["LOADERS_D128 <= WARPGROUPS_D128",
                    "WARPGROUPS_D128 * 32768 + STAGES_D128 * BLOCK_N_D128 * 512 <= 226 * 1024"]})
MMA_SHIPPED = {"BLOCK_M": 64, "BLOCK_N": 64, "NUM_STAGES": 3, "NUM_WARPS": 4}
MMA_SLOW = {"BLOCK_M": 256, "BLOCK_N": 32, "NUM_STAGES": 2, "NUM_WARPS": 8}
MMA_WIDE_SHIPPED = {"BLOCK_M_D128": 128, "BLOCK_N_D128": 32, "NUM_STAGES_D128": 2, "NUM_WARPS_D128": 4}
HOPPER_SHIPPED = {"WARPGROUPS_D64": 4, "BLOCK_N_D64": 64, "STAGES_D64": 8, "TURNS_D64": 1, "LOADERS_D64": 1,
                  "QUERIES_IN_REGISTERS_D64": 1, "SUMS_BY_PRODUCT": 1}
HOPPER_WIDE_SHIPPED = {"WARPGROUPS_D128": 3, "BLOCK_N_D128": 64, "STAGES_D128": 4, "TURNS_D128": 0, "LOADERS_D128": 3,
                       "QUERIES_IN_REGISTERS_D128": 0}

# name: kernel and space, current parameters, --case, budget
SEARCHES = {
    "mma-slow-training_512": (MMA, MMA_SLOW, "training_512", "100s"),
    "mma-training_512": (MMA, MMA_SHIPPED, "training_512", "60s"),
    "mma-inference_2k": (MMA, MMA_SHIPPED, "inference_2k", "60s"),
    "mma-causal_4k": (MMA, MMA_SHIPPED, "causal_4k", "60s"),
    "mma-wide_1k": (MMA_WIDE, MMA_WIDE_SHIPPED, "wide_1k", "90s"),
    "hopper-training_512": (HOPPER, HOPPER_SHIPPED, "training_512", "300s"),
    "hopper-inference_2k": (HOPPER, HOPPER_SHIPPED, "inference_2k", "300s"),
    "hopper-causal_4k": (HOPPER, HOPPER_SHIPPED, "causal_4k", "240s"),
    "hopper-wide_1k": (HOPPER_WIDE, HOPPER_WIDE_SHIPPED, "wide_1k", "90s"),
}
SUITE = """version: 1
kernels:
  tuned:
    operator: attention
    device: cuda
    sources: [kernels/{source}]
    params: {params}
    tune: {space}
cases:
{cases}check:
  attention: {{S: [448, 512, 640], B: [2, 3], H: [4, 8], D: [{head}]}}
measure: {measure}
gate: {{tolerate: 1%, detect: 3%, improve: 5%}}
"""


def write_suite(repo, name):
    (source, space), params, case, _ = SEARCHES[name]
    head = 128 if "wide" in case else 64
    cases = "".join(f"  {one}: {text}\n" for one, text in CASES.items() if f"D: {head}," in text)
    (repo.folder / "pawl.yaml").write_text(SUITE.format(source=source, params=json.dumps(params), space=json.dumps(space),
                                                        cases=cases, head=head, measure=repository.GPU_MEASURE))
    repo.commit(f"Space of {name}")


def search(repo, name, output):
    _, _, case, budget = SEARCHES[name]
    write_suite(repo, name)
    shutil.rmtree(repo.folder / "perf/out/tune", ignore_errors=True)
    begin = time.monotonic()
    done = subprocess.run([repo.home / "bin/pawl", "-q", "tune", "tuned", "--case", case, "--budget", budget, "--seed", "42", "--prior", "none"],
                          cwd=repo.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seconds = time.monotonic() - begin
    if done.returncode not in (0, 2):
        raise SystemExit(f"pawl tune ends with {done.returncode}\n{done.stdout}")
    out = repo.folder / "perf/out/tune"
    report = json.loads((out / "tune.json").read_text())
    screening = report["screening_s"]
    if output:
        for file in ("tune.json", "tune.jsonl"):
            (output / f"{name}.{file.split('.')[1]}.gz").write_bytes(gzip.compress((out / file).read_bytes(), mtime=0))
    rate = 60 * report["tried"] / screening if screening else 0
    print(f"| {name} | {report['tried']} of {report['configurations']} | {screening:.1f} | {report['race_s']:.1f} | {seconds:.1f} | {rate:.0f} | "
          f"{60 * report['tried'] / seconds:.0f} | {report['conclusion']} |", flush=True)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", nargs="?", default=ROOT / "dist")
    parser.add_argument("--only", nargs="+", choices=SEARCHES, default=list(SEARCHES), metavar="NAME")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("nvidia-smi") or not (pathlib.Path(options.home) / "bin/pawl").exists():
        raise SystemExit(77)
    subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm", "--format=csv,noheader"], check=True)
    print(f"{os.cpu_count()} CPUs\n| search | tried | screening, s | race, s | whole, s | a minute, screening | a minute, all | result |\n"
          "|---|---:|---:|---:|---:|---:|---:|---|", flush=True)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
    words = []
    with tempfile.TemporaryDirectory() as folder:
        repo = run.attention_repository(options.home, folder)
        for name in options.only:
            words.append(f"\n{name}\n{search(repo, name, options.output)}")
    print("".join(words))


if __name__ == "__main__":
    main()
