#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/sweep/verify.py. Prints the CPU time and the memory of `pawl verify` on a folder with 28 shapes, 6 arms and 600 samples of each.

The samples are random around times of the sweep in docs/results/sweep-h200, whose plan this takes."""
import json, os, pathlib, random, subprocess, tempfile

PLAN = pathlib.Path(__file__).resolve().parents[2] / "docs/results/sweep-h200/sweep.json"
BLOCKS, RUNS = 50, 5


def write(folder):
    plan, rng = json.loads(PLAN.read_text()), random.Random(1)
    first, plan["points"] = plan["points"][0], []
    plan["least_blocks"] = plan["most_blocks"] = BLOCKS
    for d in (64, 128):
        for causal in (0, 1):
            for s in (512, 1024, 2048, 4096, 8192, 16384, 32768):
                shape = {"B": max(1, 16384 // s), "H": 2048 // d, "S": s, "D": d, "causal": causal, "dtype": "f16"}
                flop = 4.0 * shape["B"] * shape["H"] * s * s * d / (1 + causal)
                plan["points"].append({**first, "case": ",".join("%s=%s" % item for item in shape.items()), "shape": shape, "flop": flop})
    (folder / "sweep.json").write_text(json.dumps(plan))
    state = {"frequency_mhz": 1980.0, "memory_frequency_mhz": 3201.0, "temperature_c": 40.0, "power_w": 300.1}
    with (folder / "samples.ndjson").open("w") as samples:
        for number in range(BLOCKS):
            for point, of_plan in enumerate(plan["points"]):
                timings = []
                for place, arm in enumerate(plan["arms"]):
                    median = of_plan["flop"] / 8e11 * (1 + 0.1 * (place % 5))  # the last arm is as fast as the first
                    times = [round(median * (1 + rng.gauss(0, 0.003)), 6) for _ in range(plan["samples"])]
                    timings.append({"arm": arm["name"], "outcome": "ok", "reason": None, "samples_ms": times, "fresh_ms": [], "isolation": "full"})
                samples.write(json.dumps({"point": point, "number": number, "started": "2026-11-30 08:00:00", "first_arm": number % len(timings),
                                          "spoiled": None, "before": state, "after": state, "other_busy": 0.1, "timings": timings}) + "\n")


def measure(words):
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, status
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


for kind in ([], ["--no-png"]):
    with tempfile.TemporaryDirectory() as scratch:
        write(pathlib.Path(scratch))
        subprocess.run(["pawl", "-q", "sweep", "--rewrite", *kind, "-o", scratch], check=True, stdout=subprocess.DEVNULL)
        found = [measure(["pawl", "-q", "verify", scratch]) for _ in range(RUNS)]
        print("%s: %.2f s of CPU time (%.2f to %.2f), %.0f MiB" % ("SVG alone" if kind else "SVG and PNG", sorted(seconds for seconds, _ in found)[RUNS // 2],
              min(found)[0], max(found)[0], max(memory for _, memory in found)))
