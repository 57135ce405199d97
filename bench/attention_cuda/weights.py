#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the weights of an online softmax should lie in FP16: NumPy emulates the rules of softmax.cuh and prints the error
of the output against FP64, and how many of a warp's tiles take the slow path (the true maximum, weights again).

    weights.py [DISTRIBUTION,KEYS,HEADS ...]

Sums are of the rounded weights, in exact arithmetic; inputs, weights and outputs are rounded to FP16."""
import math
import sys

import numpy as np

QUERIES, D, TILE, WARP = 512, 64, 64, 16
LOG2E = math.log2(math.e)
RULES = {  # for FP16: log2 of the largest first weight; the guard; log2 of the largest weight after the slow path
    "true maximum of every tile": None,
    "start at 2^-8, guard 2": (-8, 2.0, -8),
    "start at 1, guard 2^14": (0, 2.0**14, 0),
}


def f16(x):
    return np.clip(x, -65504, 65504).astype(np.float16).astype(np.float64)


def inputs(name, keys, rng):
    """q, k, v of one head; the names are the operator's."""
    scale = 3.0 if name == "normal_x3" else 1.0
    q, k, v = (rng.standard_normal((n, D)) * scale for n in (QUERIES, keys, keys))
    if name in ("dominant_late_key", "attention_sink", "rising_maxima"):
        q[:, 0] = 4.0
    if name == "dominant_late_key":
        k[keys - 1 - int(rng.integers(0, 1 + keys // 8)), 0] = (math.log(keys) + 6.0) * math.sqrt(D) / 4.0
    elif name == "attention_sink":
        k[0, 0] = 12.0 * math.sqrt(D) / 4.0
    elif name == "rising_maxima":
        k[:, 0] = 24.0 * np.arange(keys) / keys * math.sqrt(D) / 4.0
    elif name == "constant_rows":
        q, k, v = (np.repeat(t[:, :1], D, 1) for t in (q, k, v))
        v = v * (1.0 + np.arange(D) / D)
    return f16(q), f16(k), f16(v)


def attend(scores, v, rule):
    """The output and the slow tiles of a warp, for scores in exponents of 2."""
    keys = len(v)
    looked_at = scores[:, :TILE] if rule is None else scores[:, :16]
    start, guard, after = rule or (0, 0.0, 0)
    shift = looked_at.max(1, keepdims=True) - start
    out, total, slow = np.zeros((QUERIES, D)), np.zeros((QUERIES, 1)), 0.0
    for j in range(0, keys, TILE):
        tile = scores[:, j:j + TILE]
        weights = np.exp2(np.minimum(tile - shift, 17))  # FP16 ends at 2^16: beyond, the guard has it
        again = np.repeat((weights > guard).any(1).reshape(-1, WARP).any(1), WARP)
        slow += again.mean()
        moved = np.where(again[:, None], np.maximum(tile.max(1, keepdims=True) - after, shift), shift)
        out, total = out * np.exp2(shift - moved), total * np.exp2(shift - moved)
        shift = moved
        weights = f16(np.exp2(tile - shift))
        out, total = out + weights @ v[j:j + TILE], total + weights.sum(1, keepdims=True)
    return out / total, slow


def main():
    cases = sys.argv[1:] or ["normal,512,8", "normal_x3,512,4", "attention_sink,448,4", "attention_sink,8192,2",
                             "dominant_late_key,8192,2", "constant_rows,8192,2", "rising_maxima,512,4"]
    print(f"{'distribution':18} {'keys':>5}  {'weights':28} {'rel. RMS':>9} {'of allowed':>10} {'outside':>8} {'slow tiles':>11}")
    for case in cases:
        name, keys, heads = case.split(",")
        for label, rule in RULES.items():
            rng = np.random.default_rng(1)
            error = size = worst = outside = slow = 0.0
            for _ in range(int(heads)):
                q, k, v = inputs(name, int(keys), rng)
                scores = q @ k.T / math.sqrt(D) * LOG2E
                weights = np.exp2(scores - scores.max(1, keepdims=True))
                exact = weights @ v / weights.sum(1, keepdims=True)
                got, slow_here = attend(scores, v, rule)
                off = np.abs(f16(got) - exact)
                ratio = off / (2e-3 + 1e-3 * np.abs(exact))  # the operator's atol and rtol
                error, size = error + (off**2).sum(), size + (exact**2).sum()
                worst, outside, slow = max(worst, ratio.max()), outside + (ratio > 1).sum(), slow + slow_here / int(heads)
            shown = f"{slow:7.2f}/{math.ceil(int(keys) / TILE)}" if rule else "-"
            print(f"{name:18} {keys:>5}  {label:28} {math.sqrt(error / size):9.2e} {worst:10.2f} {int(outside):8} {shown:>11}",
                  flush=True)


if __name__ == "__main__":
    main()
