#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the statistics with numpy and scipy on random samples: stats_against_scipy.py FILTER [--trials N] [--seed N].

FILTER is the program built of stats_filter.c. Every run draws other samples; the seed that is printed draws them again.
Exit status 77 (skipped) when scipy is not installed.
"""
import argparse
import secrets
import subprocess
import sys

try:
    import numpy as np
    from scipy import stats
except ImportError as error:
    print(f"skipped: {error}; install python3-scipy")
    sys.exit(77)

TOLERANCE = 1e-9  # relative


class Filter:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request, *arguments):
        words = [request]
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                words.append(str(len(argument)))
                words += [float(v).hex() for v in argument]
            else:
                words.append(repr(argument))
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply or reply.startswith("error"):
            raise SystemExit(f"{request} {[len(a) for a in arguments if isinstance(a, np.ndarray)]}: {reply!r}")
        return [float.fromhex(word) for word in reply.split()]


KINDS = {
    "normal": lambda random, n: random.normal(50, 0.5, n),
    "lognormal": lambda random, n: random.lognormal(0, 2, n),
    "ticks": lambda random, n: np.round(random.normal(50, 0.5, n) / 0.1) * 0.1,
    "few values": lambda random, n: random.integers(0, 3, n).astype(float),
    "heavy tails": lambda random, n: random.standard_cauchy(n),
    "wide": lambda random, n: 10.0 ** random.uniform(-100, 100, n),
    "all equal": lambda random, n: np.full(n, random.normal(50, 0.5)),
}


def draw(random, n, kind=None):
    return KINDS[kind or random.choice(list(KINDS))](random, n)


def close(ours, theirs):
    if np.isnan(theirs):
        return np.isnan(ours)
    return abs(ours - theirs) <= TOLERANCE * abs(theirs) + 1e-300


def check(what, ours, theirs, samples):
    for name, a, b in zip(what.split(), ours, theirs):
        if not close(a, b):
            raise SystemExit(f"{name}: {a!r}, scipy says {b!r}, of {[s.tolist() for s in samples]}")


def check_describe(program, random):
    x = draw(random, random.integers(1, 300))
    mean, std = np.mean(x), np.std(x, ddof=1) if len(x) > 1 else np.nan
    if x.min() == x.max():
        mean, std = x[0], 0.0 if len(x) > 1 else np.nan
    with np.errstate(invalid="ignore", divide="ignore"):
        cv = std / mean if mean else np.nan
    theirs = [np.median(x), mean, std, x.min(), x.max(), np.percentile(x, 95), np.percentile(x, 99), cv]
    scale = np.abs(x).max()
    ours = program.ask("describe", x)
    if abs(mean) < 1e-6 * scale:  # the mean has cancelled: neither side has nine digits of it
        ours[1] = theirs[1] = ours[7] = theirs[7] = 0
    check("median mean std min max p95 p99 cv", ours, theirs, [x])


def compare_one(program, x, y):
    test = stats.mannwhitneyu(x, y, method="auto")
    exact = min(len(x), len(y)) <= 8 and len(np.unique(np.concatenate([x, y]))) == len(x) + len(y)
    delta = np.sign(np.subtract.outer(x, y)).mean()
    check("u p exact delta", program.ask("compare", x, y), [test.statistic, test.pvalue, exact, delta], [x, y])


def check_compare(program, random):
    largest = random.choice([3, 8, 12, 60, 400])
    n, m = random.integers(1, largest + 1, 2)
    kind = random.choice(list(KINDS))
    compare_one(program, draw(random, n, kind), draw(random, m, kind) * (1 + random.choice([0, 0.01, -0.3])))


def check_large(program, random):
    kind = random.choice(["normal", "ticks", "few values", "all equal"])
    x, y = draw(random, 4000, kind), draw(random, 3001, kind)
    compare_one(program, x, y)
    compare_one(program, x, x[::-1])
    compare_one(program, x, y + 1000)


def check_percentiles(program, random):
    x = draw(random, random.integers(1, 300))
    fractions = np.append(random.uniform(0, 1, 5), [0, 1])
    theirs = np.percentile(x, fractions * 100)
    for fraction, value in zip(fractions, theirs):
        ours = program.ask("percentile", float(fraction), x)[0]
        if not abs(ours - value) <= TOLERANCE * np.abs(x).max():  # between two of opposite sign digits cancel
            raise SystemExit(f"percentile {fraction}: {ours!r}, numpy says {value!r}, of {x.tolist()}")


def check_bootstrap(program, random):
    """Our interval against scipy's: different draws, so within what draws explain, in ranks of the samples."""
    n = int(random.choice([5, 10, 25, 50, 101]))
    x = np.sort(random.lognormal(0, 1, n))
    ours = program.ask("bootstrap", 10000, int(random.integers(1 << 31)), 0.95, x)
    theirs = stats.bootstrap((x,), np.median, n_resamples=10000, method="percentile", random_state=random)
    grid = np.arange(n)
    for name, a, b in zip(("low", "high"), ours, theirs.confidence_interval):
        distance = abs(np.interp(a, x, grid) - np.interp(b, x, grid))
        if not distance <= 1.01:
            raise SystemExit(f"bootstrap {name}: {a!r}, scipy says {b!r}, {distance} ranks apart, of {x.tolist()}")


def check_process_interval(program, random):
    """The narrowest interval of order statistics that misses the median with probability 5 % at most."""
    medians = draw(random, random.integers(1, 60))
    n, theirs = len(medians), [np.nan, np.nan, np.nan]
    rank = 0  # the lower end's rank, from 1
    while 2 * stats.binom.cdf(rank, n, 0.5) <= 0.05:
        rank += 1
    if rank > 0:
        theirs = [np.sort(medians)[rank - 1], np.sort(medians)[n - rank], 1 - 2 * stats.binom.cdf(rank - 1, n, 0.5)]
    check("low high confidence", program.ask("processes", medians), theirs, [medians])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("filter")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32))
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    random = np.random.default_rng(options.seed)
    program = Filter(options.filter)
    for trial in range(options.trials):
        check_describe(program, random)
        check_compare(program, random)
        check_percentiles(program, random)
        check_process_interval(program, random)
        if trial % 20 == 0:
            check_bootstrap(program, random)
        if trial % 100 == 0:
            check_large(program, random)
    print(f"{options.trials} random trials agree with scipy to {TOLERANCE:g}")


if __name__ == "__main__":
    main()
