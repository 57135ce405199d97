#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often is the winner of a race within 3 % of the best? Simulates the race of src/loop/tune_race.c and src/tune/heat.c on
the space of finalists.py: after a screening of all configurations, for several spreads of a block and several numbers of
blocks that there is time for. One block of ten is held up, by up to 30 %.

Usage: race.py [RACES]      of each kind, 1000"""

import math
import random
import statistics
import sys

import finalists

TRUE = [finalists.work(a, b) / 1000 for a in range(1, 11) for b in range(1, 7)]
HELD_UP, AS_GOOD = 0.1, 0.025
rng = random.Random(1)


def measure(number, spread):
    held = 1 + rng.uniform(0, 0.3) if rng.random() < HELD_UP else 1
    return math.log(TRUE[number] * math.exp(rng.gauss(0, spread)) * held)


def screen(spread):
    """A new best is measured twice, and the slower time counts."""
    seen, best = {}, math.inf
    for number in rng.sample(range(len(TRUE)), len(TRUE)):
        seen[number] = measure(number, spread)
        if seen[number] < best:
            seen[number] = max(seen[number], measure(number, spread))
            best = min(best, seen[number])
    return seen


def survivors(racers, blocks, room):
    count = len(blocks[racers[0]])
    medians = {i: statistics.median(blocks[i]) for i in racers}
    racers.sort(key=medians.get)
    scale = math.sqrt(count / (count - 1)) if count > 1 else math.inf
    spread = 1.4826 * statistics.median(scale * abs(x - medians[i]) for i in racers for x in blocks[i])
    error = 2 * 1.2533 * spread * math.sqrt(2 / count)
    left = (len(racers) + 1) // 2
    while left < len(racers) and left < room and error - (medians[racers[left]] - medians[racers[0]]) >= AS_GOOD:
        left += 1
    return racers[:left]


def race(spread, spare):
    seen = screen(1.6 * spread)
    order = sorted(seen, key=seen.get)
    racers = [i for i in order[:16] if seen[i] <= seen[order[0]] + math.log(1.3)]
    while len(racers) > 8 and 7 * len(racers) > spare:
        racers.pop()
    blocks = {i: [] for i in racers}
    used = rounds = 0
    heat = 2
    while len(racers) > 1 and rounds < 40 and used < spare:
        for _ in range(heat):
            if rounds == 40 or used >= spare:
                break
            for i in racers:
                blocks[i].append(measure(i, spread))
            used, rounds = used + len(racers), rounds + 1
        heat = min(2 * heat, 8)
        racers = survivors(racers, blocks, (min(spare, 200) - used) / (2 * heat))
    return TRUE[racers[0]], used


def main():
    races = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| spread of a block | blocks there is time for | blocks used | within 3 % |\n|---:|---:|---:|---:|")
    for spread in (0.02, 0.03, 0.05):
        for spare in (48, 80, 120, 200):
            ends = [race(spread, spare) for _ in range(races)]
            within = statistics.mean(ratio <= 1.0301 for ratio, _ in ends)
            print(f"| {spread:.0%} | {spare} | {statistics.mean(used for _, used in ends):.0f} | {within:.1%} |")


if __name__ == "__main__":
    main()
