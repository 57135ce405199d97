#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two results files of N configurations with 100 samples each, as `pawl bench` would: DIR/base-N.json and
DIR/candidate-N.json. Every fifth configuration of the candidate is 10 % slower, every seventh 20 % faster."""
import json
import pathlib
import random
import sys


def result(rng, index, factor):
    center = 0.05 * (1 + index % 40)
    samples = [center * factor * (1 + rng.gauss(0, 0.01)) for _ in range(100)]
    low, high = sorted(samples)[49:51]
    return {
        "kernel_name": "kernel_%d" % (index % 10),
        "case": "case_%04d" % index,
        "outcome": "ok",
        "performance": {"median_ms": (low + high) / 2, "samples_ms": samples},
        "config": {"B": 32, "H": 8, "S": 64 + index, "D": 64, "dtype": "f16"},
    }


def document(seed, count, factor_of):
    rng = random.Random(seed)
    rows = [result(rng, i, factor_of(i)) for i in range(count)]
    return {"schema_version": 1, "hardware": "a made-up device", "results": rows}


def main():
    folder, counts = pathlib.Path(sys.argv[1]), [int(n) for n in sys.argv[2:]]
    for count in counts:
        (folder / f"base-{count}.json").write_text(json.dumps(document(1, count, lambda i: 1), indent=2))
        slower = lambda i: 1.1 if i % 5 == 0 else 0.8 if i % 7 == 0 else 1
        (folder / f"candidate-{count}.json").write_text(json.dumps(document(2, count, slower), indent=2))


main()
