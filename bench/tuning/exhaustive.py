#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `pawl tune` recommend the best that an exhaustive measurement finds? The kernel is the CPU attention kernel of
`pawl init --example attention`, with 60 configurations. A small program of this script, and not pawl, times each in
fresh processes, round after round in a new order; those near the best have more rounds. Then pawl tunes the kernel again
and again with different seeds.

Usage: exhaustive.py [--rounds 90] [--runs 20] [--first 1] [--budget 4m] [--cpus 4-15] [-o FOLDER]

With --cpus, rounds and runs go on side by side, each on two CPUs of its own. FOLDER gets the times and tune.json of each
run; where it has the times already, the script takes them: use them on the same machine alone."""

import argparse
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

from cpu_pairs import pinned, run, side_by_side

VALUES = {"BLOCK_M": [16, 32, 48, 64, 80, 96, 128, 160, 192, 256], "BLOCK_N": [16, 32, 64, 128, 256, 512]}
WARM_UP, CALLS = 3, 15
STAGES = (1, math.inf), (2, 1.06), (6, 1.03)  # times --rounds, of those whose time is within this of the best so far
B, H, S, D = 2, 4, 512, 64  # training_512

DRIVER = r"""
#include <dlfcn.h>
#include <pawl/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e3 + (double)at.tv_nsec * 1e-6;
}

int main(int argc, char **argv) { /* PLUGIN THREADS WARM_UP CALLS B H S D: prints the milliseconds of each call */
  enum { TENSORS = 4, DIMS = 5 };
  struct pawl_dim dims[DIMS] = {{"B", 0}, {"H", 0}, {"S", 0}, {"D", 0}, {"causal", 0}};
  struct pawl_tensor tensors[TENSORS];
  if (argc != 9) return 2;
  for (int i = 0; i < 4; i++) dims[i].value = atoll(argv[5 + i]);
  const struct pawl_shape shape = {dims, DIMS, PAWL_F32};
  for (int t = 0; t < TENSORS; t++) {
    int64_t count = 1;
    tensors[t] = (struct pawl_tensor){.dtype = PAWL_F32, .role = t < 3 ? PAWL_IN : PAWL_OUT, .ndim = 4};
    for (int i = 3; i >= 0; i--) {
      tensors[t].size[i] = dims[i].value;
      tensors[t].stride[i] = count;
      count *= dims[i].value;
    }
    float *values = tensors[t].data = aligned_alloc(256, (size_t)(count * 4 + 255) / 256 * 256);
    for (int64_t i = 0; i < count; i++) values[i] = (float)((i * 7919 + t) % 2003) / 1001.5f - 1;
  }
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) return fputs(dlerror(), stderr), 1;
  const struct pawl_kernel *kernel = ((const struct pawl_kernel *(*)(void))dlsym(library, PAWL_KERNEL_ENTRY))();
  const size_t bytes = kernel->workspace_bytes ? kernel->workspace_bytes(&shape) : 0;
  const struct pawl_launch launch = {.struct_size = sizeof launch, .threads = atoi(argv[2]), .shape = &shape,
                                     .tensors = tensors, .tensor_count = TENSORS, .workspace_bytes = bytes,
                                     .workspace = bytes ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL};
  for (int i = 0; i < atoi(argv[3]) + atoi(argv[4]); i++) {
    const double begin = now();
    if (kernel->launch(&launch)) return 1;
    if (i >= atoi(argv[3])) printf("%.6f\n", now() - begin);
  }
}
"""


def make(folder):
    run(folder, "pawl", "-q", "init", ".", "--example", "attention")
    suite = folder / "pawl.yaml"
    text = re.sub(r"tune: \{.*\}", f"tune: {json.dumps(VALUES)}".replace('"', ""), suite.read_text())
    suite.write_text(text.replace("cache: cold", "cache: warm").replace("improve: 5%}", "improve: 5%, busy: count}"))
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    run(folder, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "The attention kernel")


def build(folder, include):
    """{configuration: plug-in}, with the flags that pawl uses, and the driver."""
    flags = ["cc", "-O3", "-march=native", "-std=gnu11", "-fPIC", f"-I{include}"]
    (folder / "driver.c").write_text(DRIVER)
    run(folder, *flags, "driver.c", "-o", "driver", "-ldl")

    def one(configuration):
        m, n = configuration
        run(folder, *flags, f"-DBLOCK_M={m}", f"-DBLOCK_N={n}", "-shared", "kernels/sdpa_cpu_fast.c", "-o", f"{m}-{n}.so",
            "-lm", "-lpthread")
        return configuration, folder / f"{m}-{n}.so"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, itertools.product(*VALUES.values())))


def take_round(folder, plugins, configurations, number, cpus):
    """{configuration: median time}: one process for each."""
    order = sorted(configurations)
    random.Random(number).shuffle(order)
    threads = len(cpus.split(",")) if cpus else os.cpu_count()
    times = {}
    for configuration in order:
        words = [str(folder / "driver"), str(plugins[configuration]), threads, WARM_UP, CALLS, B, H, S, D]
        lines = run(folder, *pinned(cpus, map(str, words))).split()
        times[configuration] = statistics.median(map(float, lines))
    return times


def tune(folder, seed, budget, cpus, output):
    """tune.json of a search in a new folder, and its seconds."""
    folder = folder / str(seed)
    folder.mkdir()
    make(folder)
    begin = time.monotonic()
    words = ["pawl", "-q", "tune", "sdpa_cpu", "--case", "training_512", "--budget", budget, "--seed", str(seed)]
    done = subprocess.run(pinned(cpus, words), cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"pawl tune ended with status {done.returncode}: {done.stderr}")
    result = json.loads((folder / "perf/out/tune/tune.json").read_text())
    if output:
        (output / f"{seed}.json").write_text(json.dumps(result))
    return result, time.monotonic() - begin


def over_middle(taken, near):
    """{configuration: its time in each of its rounds, over the round's median of those that are near the best}"""
    times = {}
    for one in taken:
        middle = statistics.median(one[configuration] for configuration in near)
        for configuration, value in one.items():
            times.setdefault(configuration, []).append(round(value / middle, 5))
    return times


def measure(folder, rounds, cpus):
    """{configuration: its time in each round}"""
    make(folder)
    program = subprocess.run(["sh", "-c", "command -v pawl"], check=True, capture_output=True, text=True).stdout.strip()
    plugins = build(folder, pathlib.Path(program).resolve().parent.parent / "include")
    near, taken, times = list(plugins), [], {}
    for share, limit in STAGES:
        if taken:
            ranks = over_the_best(times)
            near = [configuration for configuration in near if ranks[configuration][0] <= limit]
        numbers = range(len(taken), len(taken) + share * rounds)
        taken += side_by_side(cpus, lambda number, pair: take_round(folder, plugins, near, number, pair), numbers)
        times = over_middle(taken, near)
    return times


def keep_or_take(folder, arguments):
    """{configuration: its time in each round}, from FOLDER or measured now."""
    file = arguments.output / "exhaustive.json" if arguments.output else None
    if file and file.exists():
        return {(row["BLOCK_M"], row["BLOCK_N"]): row["rounds"] for row in json.loads(file.read_text())}
    begin = time.monotonic()
    times = measure(folder, arguments.rounds, arguments.cpus)
    most, least = (pick(len(rounds) for rounds in times.values()) for pick in (max, min))
    print(f"{least} to {most} rounds of {len(times)} configurations took {time.monotonic() - begin:.0f} s\n")
    if file:
        file.write_text(json.dumps([{"BLOCK_M": m, "BLOCK_N": n, "rounds": rounds} for (m, n), rounds in times.items()]))
    return times


def over_the_best(times):
    """{configuration: (time over the best, standard error of its logarithm)}, from the medians of the rounds."""
    found = {}
    for configuration, rounds in times.items():
        logs = [math.log(value) for value in rounds]
        deviation = 1.4826 * statistics.median(abs(value - statistics.median(logs)) for value in logs)
        found[configuration] = statistics.median(logs), 1.25 * deviation / math.sqrt(len(logs))
    best = min(value for value, _ in found.values())
    return {configuration: (math.exp(value - best), error) for configuration, (value, error) in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=90)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--budget", default="4m")
    parser.add_argument("--cpus", help="go on side by side on pairs of these CPUs, such as 4-15")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "all").mkdir()
        truth = over_the_best(keep_or_take(folder / "all", arguments))
        ranked = sorted(truth, key=lambda configuration: truth[configuration][0])
        print("| BLOCK_M | BLOCK_N | over the best | standard error |\n|---:|---:|---:|---:|")
        for m, n in ranked[:8] + ranked[-1:]:
            over, error = truth[m, n]
            print(f"| {m} | {n} | {(over - 1) * 100:.1f} % | {error * 100:.1f} % |")
        print("\n| seed | recommended | over the best | tried | speed-up | seconds |\n|---:|---|---:|---:|---:|---:|", flush=True)
        near = 0
        work = lambda seed, pair: tune(folder, seed, arguments.budget, pair, arguments.output)
        seeds = range(arguments.first, arguments.first + arguments.runs)
        for seed, (result, seconds) in zip(seeds, side_by_side(arguments.cpus, work, seeds)):
            if not result["recommended"]:
                print(f"| {seed} | {result['conclusion']} | | {result['tried']} | | {seconds:.0f} |", flush=True)
                continue
            m, n = int(result["best"]["params"]["BLOCK_M"]), int(result["best"]["params"]["BLOCK_N"])
            over = truth[m, n][0]
            near += over <= 1.03
            print(f"| {seed} | BLOCK_M={m}, BLOCK_N={n} | {(over - 1) * 100:.1f} % | {result['tried']} | "
                  f"{result['best']['speedup']:.2f} | {seconds:.0f} |", flush=True)
    print(f"\n{near} of {arguments.runs} are within 3 % of the best")


if __name__ == "__main__":
    main()
