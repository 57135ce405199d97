#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures each configuration of the six spaces of spaces.py on this machine's GPUs, and writes a cache of Kernel
Tuner for each space: FOLDER/NAME.json.gz. With --changed it does so for the same kernels after a change of their code:
FOLDER/NAME_changed.json.gz. With a folder that has some, it goes on: what is not there is measured. See measure.py for
what a time is. At the end of a space the fastest 5 % are measured again, in turn, with 50 launches each.

A process for each CPU compiles, one for each GPU measures; both are replaced when they crash or hang. A space is
measured wholly on one GPU, in an order that is random and always the same. Exit status: 0 all is recorded, 3
something is left (run it again), 1 an error.

Usage: record.py [--gpus 1] [--changed] [--only NAME]... [--limit K] [--seconds 420] [--workers N] -o FOLDER"""

import argparse
import collections
import gzip
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import queue
import random
import signal
import sys
import threading
import time

import driver
import measure
import spaces

SEED = 20
COMPILE_S, MEASURE_S, START_S = 90, 20, 120  # patience with one question
FINALISTS = 0.05
PROBE_EVERY = 200  # measurements: then a configuration is measured again, to see the drift
SAVE_EVERY_S = 30
MOST_LOST = 8  # processes; then it is not the configurations
KINDS = ("CompilationFailedConfig", "RuntimeFailedConfig", "InvalidConfig")
NOTE = "median of at least 9 launches by CUDA events, L2 cache warm; more than 30 times the best: of two"


def enumerate_space(space):
    """The valid configurations, the last parameter running fastest."""
    names = list(space["parameters"])
    restrictions = [compile(text, text, "eval") for text in space["restrictions"]]
    found = []
    for values in itertools.product(*space["parameters"].values()):
        params = dict(zip(names, values))
        macros = measure.macros_of(space, params)
        if all(measure.value(restriction, macros) for restriction in restrictions):
            found.append(params)
    return found


def key_of(params):
    return ",".join(str(value) for value in params.values())


def compile_serve(connection, arch):
    """The process of a compiler: answers (name, macros) with {"cubin"} or {"why"}."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the recorder ends it
    os.nice(5)  # the measuring processes come first
    compiler, sources = driver.Compiler(arch), {}
    while True:
        try:
            name, macros = connection.recv()
        except EOFError:
            return
        if name not in sources:
            sources[name] = (measure.HERE / f"{name}.cu").read_bytes()
        try:
            connection.send({"cubin": compiler.compile(sources[name], macros)})
        except driver.CudaError as error:
            connection.send({"why": str(error)})


class Child:
    """A process that answers questions, one at a time."""

    def __init__(self, serve, *values):
        self.serve, self.values, self.process = serve, values, None

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=self.serve, args=(other, *self.values), daemon=True)
        self.process.start()
        other.close()

    def answer(self, seconds):
        """The next answer; None: the process died, or took too long, and is gone."""
        try:
            if self.connection.poll(seconds):
                return self.connection.recv()
        except (EOFError, OSError):
            pass
        self.stop()
        return None

    def ask(self, question, seconds):
        try:
            self.connection.send(question)
        except OSError:
            self.stop()
            return None
        return self.answer(seconds)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join(10)
            self.connection.close()
        self.process = None


class Space:
    """The recorded part of one space, and the rest."""

    def __init__(self, definition, folder, limit):
        self.definition, self.name = definition, definition["name"]
        self.path = folder / f"{self.name}.json.gz"
        self.all = enumerate_space(definition)
        self.order = list(range(len(self.all)))
        random.Random(SEED).shuffle(self.order)
        self.order = self.order[: limit or len(self.order)]
        self.keys = [key_of(params) for params in self.all]
        self.times, self.again, self.device = {}, set(), None  # by key
        # Several, when one went on where another began; None: nobody wrote down which.
        self.versions = {"driver_cuda_versions": [], "nvrtc_versions": []}
        self.earlier_drift = None
        self.cubins, self.ready = {}, queue.Queue()
        self.why, self.probes, self.saved_at = collections.Counter(), [], time.monotonic()
        self.read()

    def read(self):
        if not self.path.exists():
            return
        try:
            with gzip.open(self.path, "rt", encoding="utf-8") as file:
                cache = json.load(file)
        except (OSError, EOFError, ValueError) as error:
            raise SystemExit(f"record.py: cannot read {self.path}: {error}; remove it") from None
        if cache["tune_params"] != self.definition["parameters"] or not set(cache["cache"]) <= set(self.keys):
            raise SystemExit(f"record.py: {self.path} is of another space; use a new folder")
        self.device = cache["device_name"]
        self.times = {key: row["time"] for key, row in cache["cache"].items()}
        self.again = set(cache.get("measured_again", []))
        self.versions = {key: cache.get(key, [None]) for key in self.versions}
        self.earlier_drift = cache.get("drift_ms")

    def write(self):
        if not self.times:
            return
        space, rows = self.definition, {}
        for key, params in zip(self.keys, self.all):
            if key in self.times:
                time_ms = self.times[key]
                rows[key] = {**params, "time": time_ms if time_ms in KINDS else float(f"{time_ms:.6g}")}
        head = {
            "device_name": self.device,
            **self.versions,
            "kernel_name": self.name,
            "problem_size": list(space["problem"].values()),
            "tune_params_keys": list(space["parameters"]),
            "tune_params": space["parameters"],
            "objective": "time",
            "recorded": [len(rows), len(self.all)],
            "measured_again": [key for key in self.keys if key in self.again],
            "drift_ms": self.drift(),
            "note": NOTE,
        }
        lines = ",\n".join(f'"{key}": {json.dumps(row)}' for key, row in rows.items())
        text = f'{json.dumps(head)[:-1]},\n"cache": {{\n{lines}\n}}}}\n'
        part = self.path.with_suffix(".part")
        with part.open("wb") as file:
            file.write(gzip.compress(text.encode(), mtime=0))
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
        self.saved_at = time.monotonic()

    def goes_on_with(self, versions):
        for key, version in versions.items():
            if version not in self.versions[key]:
                self.versions[key].append(version)

    def drift(self):
        """[least, most] of one configuration. Each run has another: of all runs, where it was greatest."""
        drifts = [[float(f"{of(self.probes):.6g}") for of in (min, max)]] if self.probes else []
        if self.earlier_drift:
            drifts.append(self.earlier_drift)
        return max(drifts, key=lambda drift: drift[1] / drift[0], default=None)

    def left(self):
        return [i for i in self.order if self.keys[i] not in self.times]

    def works(self):
        return {key: time_ms for key, time_ms in list(self.times.items()) if time_ms not in KINDS}

    def finalists(self):
        """The fastest, of those measured in this order; none before all are measured."""
        if self.left():
            return []
        works = self.works()
        ranked = sorted((i for i in self.order if self.keys[i] in works), key=lambda i: works[self.keys[i]])
        ranked = ranked[: max(1, math.ceil(FINALISTS * len(ranked)))] if ranked else []
        # The first measurement chose them; once they are measured again, their ranks differ.
        return [] if len(self.again) >= len(ranked) else ranked

    def summary(self):
        values = list(self.times.values())
        kinds = ", ".join(f"{values.count(kind)} {kind.removesuffix('Config')}" for kind in KINDS if kind in values)
        best = min(self.works().values(), default=math.nan)
        text = f"{self.name}: {len(values)} of {len(self.all)} recorded, best {best:.4g} ms"
        return text + (f", failed: {kinds}" if kinds else "")


class Recorder:
    def __init__(self, wanted, gpus, workers, deadline):
        self.spaces, self.gpus, self.workers, self.deadline = wanted, gpus, workers, deadline
        self.tasks, self.lock, self.stop = collections.deque(), threading.Lock(), threading.Event()
        self.errors = []

    def remaining(self):
        return 0 if self.stop.is_set() else self.deadline - time.monotonic()

    def say(self, text):
        print(f"[{self.deadline - time.monotonic():4.0f} s left] {text}", flush=True)

    def deal(self):
        """The spaces of each GPU, the largest first to the one with the least."""
        hands = [[] for _ in range(self.gpus)]
        for space in sorted(self.spaces, key=lambda space: -len(space.left())):
            min(hands, key=lambda hand: sum(len(other.left()) for other in hand)).append(space)
        return hands

    def queue_tasks(self, hands):
        """Compilations in the order in which they are needed: each GPU's in turn."""
        per_gpu = [[(space, i) for space in hand for i in space.left() or space.finalists()] for hand in hands]
        for row in itertools.zip_longest(*per_gpu):
            self.tasks.extend(task for task in row if task)

    def compile_loop(self, child):
        while self.remaining() > 0:
            with self.lock:
                task = self.tasks.popleft() if self.tasks else None
            if not task:
                time.sleep(0.2)  # finalists may come
                continue
            space, i = task
            space.ready.put((i, self.compile_one(child, space, i)))
        child.stop()

    def compile_one(self, child, space, i):
        """{"cubin"} or {"why"}; {}: the recording ended before the answer came."""
        question = (measure.kernel_of(space.definition), measure.macros_of(space.definition, space.all[i]))
        for _ in range(2):  # a lost compiler may be an accident
            if self.remaining() <= 0:
                return {}
            if not child.process:
                child.start()
            answer = child.ask(question, COMPILE_S)
            if answer:
                return answer
        return {} if self.remaining() <= 0 else {"why": "two compilers crashed or took too long", "lost": True}

    def start_gpu(self, child):
        child.start()
        hello = child.answer(START_S) or {"error": "the measuring process did not start"}
        if "error" in hello:
            raise driver.CudaError(hello["error"])
        return hello

    def ready_for(self, child, space):
        """The child with its buffers; after a crash, a new one."""
        if not child.process:
            self.start_gpu(child)
        answer = child.ask(("space", space.name), START_S)
        if answer is None or "error" in answer:
            child.stop()
            raise driver.CudaError(f"{space.name}: {(answer or {}).get('error', 'no answer to the space')}")

    def gpu_loop(self, child, hand):
        for space in hand:
            try:
                self.record(child, space)
            except driver.CudaError as error:
                self.fail(error)
                self.forget_tasks(space)
            try:
                space.write()
            except OSError as error:
                self.fail(f"cannot write {space.path}: {error}")
        child.stop()

    def fail(self, error):
        self.errors.append(str(error))
        self.say(f"error: {error}")

    def forget_tasks(self, space):
        with self.lock:
            self.tasks = collections.deque(task for task in self.tasks if task[0] is not space)

    def outcome(self, child, space, i, compiled, best):
        """{"time", "why"}, as of measure.measure(); None: the recording ended before it was known."""
        if not compiled:
            return None
        if "cubin" not in compiled:
            return measure.failure("CompilationFailedConfig", compiled["why"][-300:]) | {"lost": "lost" in compiled}
        space.cubins[i] = compiled["cubin"]
        return self.measure_one(child, space, i, best)

    def note(self, space, key, answer):
        space.times[key] = answer["time"]
        if answer["time"] not in KINDS:
            return
        space.why[answer["why"][:300]] += 1
        if answer["time"] == "InvalidConfig" and list(space.times.values()).count("InvalidConfig") <= 5:
            self.say(f"{space.name} {key}: {answer['why']}")

    def record(self, child, space):
        left = set(space.left())
        if not left and not space.finalists():
            return
        self.ready_for(child, space)
        best = min(space.works().values(), default=math.inf)
        probe, measured, lost_in_a_row = None, 0, 0
        while left and self.remaining() > 0:
            try:
                i, compiled = space.ready.get(timeout=0.2)
            except queue.Empty:
                continue
            answer = self.outcome(child, space, i, compiled, best)
            if answer is None:
                break
            self.note(space, space.keys[i], answer)
            lost_in_a_row = lost_in_a_row + 1 if answer.get("lost") else 0
            if lost_in_a_row == MOST_LOST:
                raise driver.CudaError(f"{space.name}: {MOST_LOST} processes lost in a row: {answer['why']}")
            if answer["time"] not in KINDS:
                best = min(best, answer["time"])
                probe = i if probe is None else probe
            left.discard(i)
            measured += 1
            if probe is not None and measured % PROBE_EVERY == 0:
                answer = self.measure_one(child, space, probe, math.inf)
                if answer and answer["time"] not in KINDS:
                    space.probes.append(answer["time"])
            if time.monotonic() - space.saved_at > SAVE_EVERY_S:
                space.write()
                self.say(space.summary())
        self.measure_again(child, space)
        space.cubins.clear()

    def measure_one(self, child, space, i, best):
        """None: the recording ended before the answer came."""
        if not child.process:
            self.ready_for(child, space)
        patience = max(1, min(MEASURE_S, self.remaining() + 5))
        answer = child.ask(("one", space.all[i], space.cubins[i], best), patience)
        if answer and answer.get("lost"):
            child.stop()
        if answer is None:
            if self.remaining() <= 0:
                return None
            return measure.failure("RuntimeFailedConfig", "the process crashed or took too long") | {"lost": True}
        if "error" in answer:
            child.stop()
            raise driver.CudaError(f"{space.name}: {answer['error']}")
        return answer

    def measure_again(self, child, space):
        finalists = space.finalists()
        if not finalists or self.remaining() <= 0:
            return
        missing = {i for i in finalists if i not in space.cubins}
        with self.lock:
            queued = {i for other, i in self.tasks if other is space}
            self.tasks.extendleft((space, i) for i in missing - queued)
        while missing and self.remaining() > 0:
            try:
                i, compiled = space.ready.get(timeout=0.2)
            except queue.Empty:
                continue
            space.cubins[i] = compiled.get("cubin")
            missing.discard(i)
        for i in finalists:
            if i not in missing and not space.cubins.get(i):
                space.again.add(space.keys[i])  # it compiled once; its first time stays
        finalists = [i for i in finalists if space.cubins.get(i)]
        # About as long as the launches take, twice; not begun when it cannot end in time.
        launches = measure.ROUNDS * (measure.EACH + 1)
        launches_s = sum(space.times[space.keys[i]] + 0.3 for i in finalists) * launches / 1e3
        if self.remaining() < 2 * launches_s + 3:
            return
        if not child.process:
            self.ready_for(child, space)
        entrants = [(space.all[i], space.cubins[i]) for i in finalists]
        answer = child.ask(("finalists", entrants, SEED), 30 + 4 * launches_s)
        if not answer or "times" not in answer:
            child.stop()
            self.say(f"{space.name}: the finalists were not measured again: {answer}")
            return
        for i, time_ms in zip(finalists, answer["times"]):
            space.times[space.keys[i]] = time_ms
            space.again.add(space.keys[i])

    def run(self):
        children = [Child(measure.serve, ordinal) for ordinal in range(self.gpus)]
        hellos = [self.start_gpu(child) for child in children]
        device, arch = hellos[0]["name"], hellos[0]["arch"]
        for space in self.spaces:
            if space.device not in (None, device):
                raise driver.CudaError(f"{space.path} is of {space.device}, this is {device}; use a new folder")
            space.device = device
            if space.left() or space.finalists():
                space.goes_on_with(hellos[0]["versions"])
        self.say(f"{self.gpus} x {device}, {arch}; {self.workers} compilers")
        hands = self.deal()
        self.queue_tasks(hands)
        compilers = [Child(compile_serve, arch) for _ in range(self.workers)]
        compiling = [threading.Thread(target=self.compile_loop, args=(child,)) for child in compilers]
        measuring = [threading.Thread(target=self.gpu_loop, args=pair) for pair in zip(children, hands)]
        for thread in compiling + measuring:
            thread.start()
        for thread in measuring:
            thread.join()
        self.stop.set()
        for process in [child.process for child in compilers]:
            if process:
                process.kill()  # a compilation under way is of no use any more
        for thread in compiling:
            thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--changed", action="store_true", help="the kernels after a change of their code")
    parser.add_argument("--only", action="append", choices=[space["name"] for space in spaces.SPACES])
    parser.add_argument("--limit", type=int, metavar="K", help="the first K of each space's order alone")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--workers", type=int, help="compilers; a CPU is left for each GPU")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    args = parser.parse_args()
    deadline = time.monotonic() + args.seconds
    workers = args.workers or max(1, len(os.sched_getaffinity(0)) - args.gpus)
    args.folder.mkdir(parents=True, exist_ok=True)
    wanted = [
        Space(definition, args.folder, args.limit)
        for definition in (spaces.CHANGED if args.changed else spaces.SPACES)
        if not args.only or measure.kernel_of(definition) in args.only
    ]
    recorder = Recorder(wanted, args.gpus, workers, deadline)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: recorder.stop.set())
    try:
        recorder.run()
    except driver.CudaError as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 1
    done = True
    for space in wanted:
        done = done and not space.left() and not space.finalists()
        drift = ", drift of one: {:.4g} to {:.4g} ms".format(*space.drift()) if space.drift() else ""
        print(f"{space.summary()}, {len(space.again)} measured again{drift}")
        for why, count in space.why.most_common(4):
            print(f"  {count} x {' '.join(why.split())}")
    for error in recorder.errors:
        print(f"record.py: {error}", file=sys.stderr)
    return 1 if recorder.errors else 0 if done else 3


if __name__ == "__main__":
    sys.exit(main())
