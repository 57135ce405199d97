#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often is the winner of a race within 3 % of the best? Simulates the race of src/tuning/race.c and src/tune/race_rank.c on
the space of finalists.py: after a screening of all configurations, for several spreads from process to process and several
numbers of processes that there is time for. In a round of a race all racers are measured beside one process of the current
code. One time of ten is held up, by up to 30 %.

Usage: race.py [RACES]      of each kind, 1000"""

import math
import random
import statistics
import sys

import finalists

TRUE = [finalists.work(a, b) / 1000 for a in range(1, 11) for b in range(1, 7)]
HELD_UP, AS_GOOD = 0.1, 0.025
rng = random.Random(1)


def process(true, spread):
    held = 1 + rng.uniform(0, 0.3) if rng.random() < HELD_UP else 1
    return math.log(true * math.exp(rng.gauss(0, spread)) * held)


def screen(spread):
    """One process serves as the current code for all. A new best is measured twice, and the slower time counts."""
    seen, best = {}, math.inf
    for number in rng.sample(range(len(TRUE)), len(TRUE)):
        seen[number] = process(TRUE[number], spread)
        if seen[number] < best:
            seen[number] = max(seen[number], process(TRUE[number], spread))
            best = min(best, seen[number])
    return seen


def stand(racers, blocks):
    """Where each racer stands, and the spread of one in one round."""
    rounds, count = len(blocks[racers[0]]), len(racers)
    middles = [statistics.median(blocks[i][r] for i in racers) for r in range(rounds)]
    level = statistics.median(middles)
    distances = {i: [blocks[i][r] - middles[r] for r in range(rounds)] for i in racers}
    middle = {i: statistics.median(distances[i]) for i in racers}
    if rounds < 2 or count < 2:
        return {i: level + middle[i] for i in racers}, math.inf
    scale = math.sqrt(rounds / (rounds - 1) * count / (count - 1))
    spread = 1.4826 * scale * statistics.median(abs(x - middle[i]) for i in racers for x in distances[i])
    return {i: level + middle[i] for i in racers}, spread


def standard_errors(freedom):
    known = 2.5 * (8 * freedom + 3) / (8 * freedom + 1)
    return math.sqrt(freedom * math.expm1(known * known / freedom)) if freedom else math.inf


def survivors(racers, blocks, room):
    standing, spread = stand(racers, blocks)
    racers.sort(key=standing.get)
    rounds = len(blocks[racers[0]])
    error = standard_errors((rounds - 1) * (len(racers) - 1)) * 1.2533 * spread * math.sqrt(2 / rounds)
    half, left = (len(racers) + 1) // 2, 1
    while left < len(racers):
        faster = error - (standing[racers[left]] - standing[racers[0]])
        if faster < AS_GOOD / 5 if left < half else left >= int(room) or faster < AS_GOOD:
            break
        left += 1
    return racers[:left]


def race(spread, spare):
    seen = screen(spread)
    order = sorted(seen, key=seen.get)
    racers = [i for i in order[:16] if seen[i] <= seen[order[0]] + math.log(1.3)]
    while len(racers) > 8 and 8 * len(racers) > spare:
        racers.pop()
    blocks = {i: [] for i in racers}
    used = rounds = 0
    stage = 2
    while len(racers) > 1:
        before = rounds
        for _ in range(stage):
            if rounds == 40 or spare - used < len(racers) + 1:
                break
            current = process(1, spread)
            for i in racers:
                blocks[i].append(process(TRUE[i], spread) - current)
            used, rounds = used + len(racers) + 1, rounds + 1
        if rounds == before:
            break
        stage = min(2 * stage, 8)
        racers = survivors(racers, blocks, min(spare - used, max(200 - used, 0)) / (2 * stage) - 1)
    return TRUE[racers[0]], used


def main():
    races = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| spread of processes | processes there is time for | used | within 3 % |\n|---:|---:|---:|---:|")
    for spread in (0.02, 0.03, 0.05):
        for spare in (48, 80, 120, 200):
            ends = [race(spread, spare) for _ in range(races)]
            within = statistics.mean(ratio <= 1.0301 for ratio, _ in ends)
            print(f"| {spread:.0%} | {spare} | {statistics.mean(used for _, used in ends):.0f} | {within:.1%} |")


if __name__ == "__main__":
    main()
