# SPDX-License-Identifier: Apache-2.0
"""Fair timing of several arms in one process: interleaved rounds in random order, warm by CUDA graphs of many calls,
cold with the L2 flushed before each call and the events enqueued ahead, so that no host time is measured."""
import random
import statistics

import torch

CALLS = 20          # calls in a warm graph
FLUSH_BYTES = 256 << 20


def capture(call, calls=CALLS):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    return graph


def warm(arms, rounds=30, calls=CALLS):
    """arms: {name: call}. Microseconds of one call, `rounds` samples of each arm."""
    graphs = {name: capture(call, calls) for name, call in arms.items()}
    samples = {name: [] for name in arms}
    for graph in graphs.values():
        graph.replay()
    order = list(arms)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            graphs[name].replay()  # a warm-up of the clocks and caches after the other arm
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graphs[name].replay()
            end.record()
            torch.cuda.synchronize()
            samples[name].append(start.elapsed_time(end) * 1e3 / calls)
    return samples


def cold(arms, rounds=5, calls=20):
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    samples = {name: [] for name in arms}
    order = list(arms)
    for call in arms.values():
        call()
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
                      for _ in range(calls)]
            flush.zero_(), flush.zero_()  # the host runs ahead from here on
            for start, end in events:
                flush.zero_()
                start.record()
                arms[name]()
                end.record()
            torch.cuda.synchronize()
            samples[name] += [start.elapsed_time(end) * 1e3 for start, end in events[1:]]
    return samples


def median_ci(values, resamples=1000, seed=42):
    """Median and its 95 % percentile-bootstrap interval."""
    rng = random.Random(seed)
    n = len(values)
    medians = sorted(statistics.median(rng.choices(values, k=n)) for _ in range(resamples))
    return statistics.median(values), medians[int(0.025 * resamples)], medians[int(0.975 * resamples)]


def cliffs_delta(slower, faster):
    """> 0: values of `faster` are smaller."""
    greater = sum((a > b) - (a < b) for a in slower for b in faster)
    return greater / (len(slower) * len(faster))
