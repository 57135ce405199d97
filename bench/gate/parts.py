#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the variance of CPU blocks: what of a block's log-ratio is the noise of its samples, and what differs
between the processes.

    bench/gate/parts.py VERDICT.json...     files of `pawl compare --paired -o` or `pawl run`

Each sample of the base has a neighbour of the candidate, so the log-ratios of neighbours show the noise of samples. A
block's ratio is their median. "Predicted" is the standard deviation that blocks would have if nothing but this noise
differed: once from the median absolute deviation of the log-ratios, once from the difference between the medians of a
block's even and odd samples. "Rest" is what the blocks have beyond the second."""

import json
import math
import pathlib
import statistics
import sys


def parts(paired):
    count = paired["blocks_counted"]
    base, candidate = paired["base_samples_ms"], paired["candidate_samples_ms"]
    size = [len(base) // count] * count
    ratios, at = [], 0
    for samples in size:
        ratios.append([math.log(candidate[i] / base[i]) for i in range(at, at + samples)])
        at += samples
    counted = [block for block in paired["blocks"] if not block["spoiled"]]
    block = statistics.stdev(math.log(b["candidate_ms"] / b["base_ms"]) for b in counted)
    spread = 1.4826 * statistics.median(abs(r - statistics.median(block)) for block in ratios for r in block)
    halves = statistics.pstdev(statistics.median(block[::2]) - statistics.median(block[1::2]) for block in ratios) / 2
    by_spread = 1.2533 * spread / math.sqrt(statistics.mean(size))
    return {"us": 1e3 * statistics.median(base), "blocks": count, "samples": statistics.mean(size), "sample": spread, "block": block,
            "by_spread": by_spread, "by_halves": halves, "rest": math.sqrt(max(0, block**2 - halves**2))}


def main():
    print("| verdict | kernel, case | us | blocks | samples | sd of a sample | sd of a block | predicted | from halves | rest |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for path in sys.argv[1:]:
        for row in json.loads(pathlib.Path(path).read_text())["comparisons"]:
            paired = row.get("paired")
            if not paired or paired["blocks_counted"] < 6 or len(paired["base_samples_ms"]) % paired["blocks_counted"]:
                continue
            p = parts(paired)
            print(f"| {pathlib.Path(path).stem} | {row['kernel_name']}, {row['case']} | {p['us']:.1f} | {p['blocks']} | {p['samples']:.0f} | "
                  + " | ".join(f"{100 * p[key]:.1f} %" for key in ("sample", "block", "by_spread", "by_halves", "rest")) + " |")


if __name__ == "__main__":
    main()
