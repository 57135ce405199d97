# SPDX-License-Identifier: Apache-2.0
"""Measures configurations of one space on one GPU, in a process of its own: serve() answers the questions of
record.py.

A configuration runs once for its result, which is compared on the GPU with a reference in double precision, and then
a warm-up and 9 to 25 timed launches by CUDA events; its time is the median. Nothing clears the L2 cache between
launches: what fits there is warm. A busy kernel of a millisecond goes ahead, so that the clock is up and all launches
are queued before the first begins: no gap of the CPU is within a time."""

import ctypes
import math
import os
import pathlib
import random
import signal
import statistics

import driver
import spaces

HERE = pathlib.Path(__file__).resolve().parent
POISON = 0xFFFFFFFF  # a NaN
LEAST, MOST, SPAN_MS = 9, 25, 1.0  # timed launches: as many as take SPAN_MS, within these
TOO_SLOW = 30  # times the best: the better of two launches says enough
ROUNDS, EACH = 10, 5  # for the finalists
HEAT_NS = 1000000


def kernel_of(space):
    """The name of the file and of the function."""
    return space.get("kernel", space["name"])


def macros_of(space, params):
    return {"CHANGED": int("kernel" in space), **space["problem"], **space.get("fixed", {}), **params}


def reference_macros(space):
    """The macros of reference.cu, which has the kernels of all spaces."""
    return {**macros_of(space, {}), f"OF_{kernel_of(space)}": 1}


def value(expression, names):
    return eval(expression, {"__builtins__": {"min": min, "max": max}}, names)  # the expressions are those of spaces.py alone


def failure(kind, why):
    return {"time": kind, "why": str(why)}


class Sticky(Exception):
    """The context is of no more use."""


class Bench:
    """The buffers, the reference and the kernels of the recorder for one space."""

    def __init__(self, gpu, space):
        self.gpu, self.space = gpu, space
        problem = space["problem"]
        self.counts = {name: value(count, problem) for name, (count, *_) in space["buffers"].items()}
        self.buffers = {name: gpu.allocate(4 * count) for name, count in self.counts.items()}
        self.count = self.counts[space["output"]]
        self.expected, self.wrong = gpu.allocate(4 * self.count), gpu.allocate(4)
        source = (HERE / "reference.cu").read_bytes()
        cubin = driver.Compiler(gpu.arch).compile(source, reference_macros(space))
        self.module = gpu.module(cubin)
        self.compare = gpu.function(self.module, "compare_float" if "absolute" in space else "compare_int")
        self.heat = gpu.function(self.module, "heat")
        self.events = [(gpu.event(), gpu.event()) for _ in range(max(MOST, EACH))]
        for name, (_, content, *seed) in space["buffers"].items():
            if content:
                count = self.counts[name] * (4 if content == "bytes" else 1)
                self.simple(f"fill_{content}", count, self.buffers[name], count, *(seed or [0]))
        if "prepare" in space:
            values = [self.buffers[name] for name in space["prepare"]]
            self.simple("prepare", value(space["reference"]["threads"], problem), *values)
        self.make_reference()

    def simple(self, name, threads, *values):
        grid = (-(-threads // 256), 1, 1)
        self.gpu.launch(self.gpu.function(self.module, name), grid, (256, 1, 1), 0, driver.Arguments(*values))

    def make_reference(self):
        reference = self.space["reference"]
        self.poison()
        for i in range(reference["times"]):
            self.simple("reference", value(reference["threads"], self.space["problem"]), *self.arguments(i))
        output = self.output(reference["times"])
        self.gpu.call("cuMemcpyDtoD_v2", self.expected, output, 4 * self.count)
        self.gpu.synchronize()
        self.poison()
        if self.differing(output) < 0.9 * self.count or self.differing(self.expected):
            raise driver.CudaError(f"{self.space['name']}: the check of the results does not work")

    def arguments(self, launch):
        """The buffers of a launch, the one of this number within a measurement."""
        turn = "target", "other"
        names = {name: name for name in self.space["arguments"]}
        if "other" in self.buffers:
            names["target"] = turn[launch % 2]
            names["source"] = turn[(launch - 1) % 2] if launch else "source"
        return [self.buffers[name] for name in names.values()]

    def output(self, launches):
        if "other" in self.buffers:
            return self.buffers["target" if launches % 2 else "other"]
        return self.buffers[self.space["output"]]

    def poison(self):
        for name in {self.space["output"], "other"} & set(self.buffers):
            self.gpu.fill(self.buffers[name], 0 if self.space.get("zeroed") else POISON, self.counts[name])

    def differing(self, output):
        self.gpu.fill(self.wrong, 0, 1)
        limits = (ctypes.c_double(self.space.get(key, 0)) for key in ("absolute", "relative"))
        values = driver.Arguments(output, self.expected, self.count, *limits, self.wrong)
        self.gpu.launch(self.compare, (-(-self.count // 256), 1, 1), (256, 1, 1), 0, values)
        self.gpu.synchronize()
        return self.gpu.read_int(self.wrong)

    def warm(self):
        values = driver.Arguments(self.wrong, HEAT_NS)
        self.gpu.launch(self.heat, (2 * self.gpu.multiprocessors, 1, 1), (256, 1, 1), 0, values)

    def close(self):
        for pointer in (*self.buffers.values(), self.expected, self.wrong):
            self.gpu.free(pointer)
        self.gpu.call("cuModuleUnload", self.module)


class Candidate:
    """A configuration ready for launches."""

    def __init__(self, bench, params, cubin):
        self.bench, self.gpu, space = bench, bench.gpu, bench.space
        names = {**macros_of(space, params), "multiprocessors": bench.gpu.multiprocessors}
        self.grid, self.block = (
            tuple(value(part, names) for part in space[key]) + (1,) * (3 - len(space[key])) for key in ("grid", "block")
        )
        self.shared = value(space.get("shared", "0"), names)
        self.launches = value(space.get("launches", "1"), names)
        self.values = [driver.Arguments(*bench.arguments(i)) for i in range(self.launches)]
        self.module = self.gpu.module(cubin)
        try:
            self.function = self.gpu.function(self.module, kernel_of(space), self.shared)
        except driver.CudaError:
            self.close()
            raise

    def run(self, events):
        """A measurement; it is only queued."""
        if self.bench.space.get("zeroed"):
            output = self.bench.buffers[self.bench.space["output"]]
            self.gpu.call("cuMemsetD32Async", output, 0, self.bench.count, None)
        self.gpu.record(events[0])
        for values in self.values:
            self.gpu.launch(self.function, self.grid, self.block, self.shared, values)
        self.gpu.record(events[1])

    def once(self):
        bench = self.bench
        bench.warm()
        self.run(bench.events[0])
        self.gpu.synchronize()
        return self.gpu.milliseconds(*bench.events[0])

    def times(self, count):
        bench = self.bench
        bench.warm()
        self.run(bench.events[0])
        for i in range(count):
            self.run(bench.events[i])
        self.gpu.synchronize()
        return [self.gpu.milliseconds(*bench.events[i]) for i in range(count)]

    def close(self):
        self.gpu.call("cuModuleUnload", self.module)


def settled(gpu, error):
    """Whether the context still works after an error."""
    try:
        gpu.synchronize()
    except driver.CudaError:
        raise Sticky(str(error)) from None


def measure(bench, params, cubin, best):
    """{"time": milliseconds or a kind of failure, "why": ...}"""
    try:
        candidate = Candidate(bench, params, cubin)
    except driver.CudaError as error:
        settled(bench.gpu, error)
        return failure("RuntimeFailedConfig", error)
    try:
        bench.poison()
        first = candidate.once()
        if wrong := bench.differing(bench.output(candidate.launches)):
            return failure("InvalidConfig", f"{wrong} of {bench.count} values are wrong")
        if first > TOO_SLOW * best:  # unless it was an accident
            first = min(first, candidate.once())
        if first > TOO_SLOW * best:
            return {"time": first}
        count = min(MOST, max(LEAST, math.ceil(SPAN_MS / max(first, 1e-3))))
        return {"time": statistics.median(candidate.times(count))}
    except driver.CudaError as error:
        settled(bench.gpu, error)
        return failure("RuntimeFailedConfig", error)
    finally:
        try:
            candidate.close()
        except driver.CudaError:
            pass  # the error before it says more


def measure_finalists(bench, entrants, seed):
    """The medians of ROUNDS x EACH launches of each, in turn, each round in a new order."""
    candidates = [Candidate(bench, params, cubin) for params, cubin in entrants]
    times = [[] for _ in candidates]
    rng, order = random.Random(seed), list(range(len(candidates)))
    for _ in range(ROUNDS):
        rng.shuffle(order)
        for i in order:
            times[i] += candidates[i].times(EACH)
    for candidate in candidates:
        candidate.close()
    return [statistics.median(some) for some in times]


def serve(connection, ordinal):
    """The process of a GPU: says what there is, then answers ("space", name), ("one", params, cubin, best) and
    ("finalists", [(params, cubin)], seed). It ends after an error that spoils the context."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the recorder ends it
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"  # not within the first launch
    try:
        gpu = driver.Gpu(ordinal)
        versions = {"driver_cuda_versions": gpu.version(), "nvrtc_versions": driver.Compiler(gpu.arch).version()}
    except (driver.CudaError, AttributeError) as error:
        connection.send({"error": str(error)})
        return
    connection.send({"name": gpu.name, "arch": gpu.arch, "versions": versions})
    bench = None
    while True:
        try:
            question, *rest = connection.recv()
        except EOFError:
            return
        try:
            if question == "space":
                if bench:
                    bench.close()
                every = {space["name"]: space for space in spaces.SPACES + spaces.CHANGED}
                bench = Bench(gpu, every[rest[0]])
                answer = {}
            elif question == "one":
                answer = measure(bench, *rest)
            else:
                answer = {"times": measure_finalists(bench, *rest)}
        except Sticky as error:
            connection.send({**failure("RuntimeFailedConfig", error), "lost": True})
            return
        except driver.CudaError as error:
            connection.send({"error": str(error)})
            return
        connection.send(answer)
