#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/sweep/carry_over.py FOLDER. Prints whether the times of a sweep depend on the order of the arms in a round.

The order of each round follows from the seed in sweep.json, as in src/measure/block.c. A round gives one speed-up of the first arm over each
other one. Each number is a mean over blocks with its standard error."""
import gzip, json, math, pathlib, statistics, sys

STREAM_ORDER, STREAM_STARTS = 1, 0x737461727473  # src/measure/block_run.h, src/sweep/crew.c


class Random:
    """Philox4x32-10: src/base/philox.h."""

    def __init__(self, key, stream):
        self.key, self.stream, self.counter, self.words = key, stream, 0, []

    def word(self):
        if not self.words:
            low = 0xFFFFFFFF
            c = [self.counter & low, self.counter >> 32, self.stream & low, self.stream >> 32]
            k0, k1 = self.key & low, self.key >> 32
            for _ in range(10):
                p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
                c = [(p1 >> 32) ^ c[1] ^ k0, p1 & low, (p0 >> 32) ^ c[3] ^ k1, p0 & low]
                k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
            self.counter, self.words = self.counter + 1, c
        return self.words.pop(0)

    def below(self, bound):
        product = self.word() * bound
        while product & 0xFFFFFFFF < (1 << 32) % bound:
            product = self.word() * bound
        return product >> 32

    def order(self, count):
        order = list(range(count))
        for i in range(count - 1):
            other = i + self.below(count - i)
            order[i], order[other] = order[other], order[i]
        return order


def rounds_of(plan, block):
    """Yields the order of the arms and the logarithm of the median time of each, for each round of a block."""
    timings, first = block["timings"], block["first_arm"]
    count, number_of_rounds = len(timings), plan["points"][block["point"]]["rounds"]
    stream, order = Random(plan["seed"] + block["point"] * plan["most_blocks"] * 4 + block["number"], STREAM_ORDER), []
    for number in range(number_of_rounds):
        if number == 0:
            order = [first] + [(first + 1 + other) % count for other in stream.order(count - 1)]
        else:
            order = order[::-1] if number % 2 else stream.order(count)
        begin, end = (plan["samples"] * (number + k) // number_of_rounds for k in (0, 1))
        yield order, [math.log(statistics.median(timing["samples_ms"][begin:end])) for timing in timings]


def percent(values):
    if len(values) < 3:
        return "-"
    return "%+.3f +- %.3f %% (%d)" % (100 * statistics.fmean(values), 100 * statistics.stdev(values) / len(values) ** 0.5, len(values))


def starts_first(plan, block, counted):
    """Whether the stored first arm is that of the seed: a test of the generator above."""
    order = Random(plan["seed"] + counted // 2, STREAM_STARTS).order(len(block["timings"]))
    return (order[::-1] if counted % 2 else order)[0] == block["first_arm"]


def main():
    folder = pathlib.Path(sys.argv[1])
    plan = json.loads((folder / "sweep.json").read_text())
    blocks = [json.loads(line) for line in gzip.decompress((folder / "samples.ndjson.gz").read_bytes()).decode().splitlines()]
    blocks = [block for block in blocks if not block["spoiled"] and all(timing["outcome"] == "ok" for timing in block["timings"])]
    counted = {}
    right = 0
    for block in blocks:
        right += starts_first(plan, block, counted.setdefault(block["point"], 0))
        counted[block["point"]] += 1
    names = [arm["name"] for arm in plan["arms"]]
    print("%d blocks; the first arm of %d is that of the seed" % (len(blocks), right))
    for title, chosen in (("at the power limit", [b for b in blocks if b.get("throttled")]), ("others", [b for b in blocks if not b.get("throttled")])):
        print("\n%s: %d blocks\nspeed-up of %s over each where %s is before it, less where it is behind it:" % (title, len(chosen), names[0], names[0]))
        for other in range(1, len(names)):
            differences = []
            for block in chosen:
                ahead, behind = [], []
                for order, times in rounds_of(plan, block):
                    (ahead if order.index(0) < order.index(other) else behind).append(times[other] - times[0])
                if ahead and behind:
                    differences.append(statistics.fmean(ahead) - statistics.fmean(behind))
            print("  %-18s %s" % (names[other], percent(differences)))
        print("time of an arm whose round begins with it, less its mean in the block: " + percent(
            [statistics.fmean(values) for values in first_places(plan, chosen)]))


def first_places(plan, blocks):
    """Yields, for each block, the times of the arms that are first in a round, less the mean of the arm over its rounds."""
    for block in blocks:
        rounds = list(rounds_of(plan, block))
        means = [statistics.fmean(times[arm] for _, times in rounds) for arm in range(len(block["timings"]))]
        yield [times[order[0]] - means[order[0]] for order, times in rounds]


main()
