#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes vectors.h: what numpy and scipy say of small sets of samples. Run: make_vectors.py > vectors.h"""
import sys

import numpy as np
import scipy
from scipy import stats

SEED = 20261120
random = np.random.default_rng(SEED)


def samples(kind, n):
    if kind == "normal":
        return random.normal(50, 0.5, n)
    if kind == "lognormal":
        return random.lognormal(0, 1, n)
    if kind == "ticks":  # many ties, as coarse timers give
        return np.round(random.normal(50, 0.5, n) / 0.25) * 0.25
    if kind == "wide":
        return 10.0 ** random.uniform(-100, 100, n)
    if kind == "constant":
        return np.full(n, 0.1)
    raise ValueError(kind)


def number(value):
    return "NAN" if np.isnan(value) else repr(float(value))


def array(values):
    return "{" + ", ".join(number(v) for v in values) + "}"


def describe(kind, n):
    x = samples(kind, n)
    mean, std = np.mean(x), (np.std(x, ddof=1) if n > 1 else np.nan)
    if kind == "constant":  # numpy's own rounding
        mean, std = x[0], (0.0 if n > 1 else np.nan)
    p = np.percentile(x, [50, 95, 99])
    figures = [np.median(x), mean, std, x.min(), x.max(), *p, std / mean]
    print(f"  {{{n}, {array(x)}, {array(figures)}}},")


def delta(x, y):
    signs = np.sign(np.subtract.outer(x, y))  # x baseline, y candidate: positive where the candidate is faster
    return signs.mean()


def compare(kind, n, m, shift):
    x, y = samples(kind, n), samples(kind, m) + shift
    test = stats.mannwhitneyu(x, y, method="auto")
    exact = min(n, m) <= 8 and len(np.unique(np.concatenate([x, y]))) == n + m
    print(f"  {{{n}, {m}, {array(x)}, {array(y)}, {number(test.statistic)}, {number(test.pvalue)}, "
          f"{'true' if exact else 'false'}, {number(delta(x, y))}}},")


print("/* SPDX-License-Identifier: Apache-2.0 */")
print(f"/* Written by make_vectors.py: numpy {np.__version__}, scipy {scipy.__version__}, "
      f"Python {sys.version.split()[0]}, seed {SEED}. */")
print("/* clang-format off */")
print("static const struct { size_t n; double x[40]; double figures[9]; } describe_vectors[] = {")
for kind in "normal", "lognormal", "ticks", "wide", "constant":
    for n in 1, 2, 3, 4, 7, 20, 33:
        describe(kind, n)
print("};")
print("static const struct { size_t n, m; double x[40], y[40], u, p; bool exact; double delta; } compare_vectors[] = {")
for kind, shift in ("normal", 0), ("normal", 0.4), ("lognormal", -0.5), ("ticks", 0), ("ticks", 0.5), ("constant", 0):
    for n, m in (1, 1), (1, 9), (2, 3), (5, 8), (8, 8), (8, 9), (9, 8), (9, 9), (7, 40), (20, 25), (40, 40):
        compare(kind, n, m, shift)
print("};")
