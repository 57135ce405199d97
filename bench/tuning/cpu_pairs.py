# SPDX-License-Identifier: Apache-2.0
"""Work on CPUs side by side, on a pair of CPUs each."""

import concurrent.futures
import queue
import subprocess


def run(folder, *words):
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout


def pairs(cpus):
    """The pairs of CPUs in a range such as 4-15; [""]: no CPUs were chosen, so that one task at a time has them all."""
    if not cpus:
        return [""]
    first, last = map(int, cpus.split("-"))
    return [f"{cpu},{cpu + 1}" for cpu in range(first, last, 2)]


def pinned(cpus, words):
    return ["taskset", "-c", cpus, *words] if cpus else list(words)


def side_by_side(cpus, task, items):
    """task(item, pair) of each item, in order, on whatever pair is free."""
    free = queue.Queue()
    for pair in pairs(cpus):
        free.put(pair)

    def one(item):
        pair = free.get()
        try:
            return task(item, pair)
        finally:
            free.put(pair)

    with concurrent.futures.ThreadPoolExecutor(free.qsize()) as pool:
        yield from pool.map(one, items)
