#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How pawl_protocol.py times: which calls are batched, and what is said of it. PYTHONPATH names its folder."""

import contextlib
import types
import unittest

import pawl_protocol
import pawl_torch


class Copy(pawl_protocol.Kernel):
    name, operator = "copy", "copy"

    def __init__(self):
        self.calls = 0

    def call(self, tensors, shape):
        self.calls += 1
        tensors["y"].buffer[:] = tensors["x"].buffer


class Clocked(Copy):
    """Of a device of its own, which cannot batch."""

    method = "events"

    def timed_call(self, tensors, shape):
        self.call(tensors, shape)
        return 100


class Batching(Clocked):
    batches = ()

    def timed_calls(self, tensors, shape, calls):
        self.batches += (calls,)
        self.call(tensors, shape)
        return 100 * calls


class Timing(unittest.TestCase):
    def time(self, kernel, cache, role="out", **params):
        methods = pawl_protocol._KernelMethods(kernel, None)
        arenas = {5: bytearray(b"\x01" * 64)}
        for first in (0, 32):
            rows = [("x", "in", first), ("y", role, first + 16)]
            methods.sets.append({name: pawl_protocol.Tensor(
                {"name": name, "role": r, "dtype": "f32", "size": [4], "fd": 5, "offset": offset, "bytes": 16}, arenas)
                for name, r, offset in rows})
        answer = methods.time({"warmup": 3, "samples": 4, "cache": cache, "flush_bytes": 64, **params})
        self.assertEqual(len(answer["samples_ns"]), 4)
        self.assertEqual(len(set(answer["hashes"])), 1)
        self.assertEqual(arenas[5], b"\x01" * 64)  # what was poisoned is right again
        return answer

    def test_short_calls_are_batched_when_warm(self):
        kernel = Copy()
        answer = self.time(kernel, "warm")
        calls = answer["calls_per_sample"]
        self.assertTrue(2 <= calls <= 1024 and calls & (calls - 1) == 0, calls)
        self.assertEqual(kernel.calls, 3 + 4 * calls)
        self.assertEqual(answer["method"], "call")
        self.assertTrue(0 < min(answer["samples_ns"]) < 10000)

    def test_cold_calls_and_those_with_inouts_are_not(self):
        self.assertEqual(self.time(Copy(), "cold")["calls_per_sample"], 1)
        self.assertEqual(self.time(Copy(), "warm", role="inout")["calls_per_sample"], 1)

    def test_a_kernel_with_a_clock_of_its_own_batches_where_it_says_so(self):
        answer = self.time(Clocked(), "warm")
        self.assertEqual((answer["calls_per_sample"], answer["method"]), (1, "events"))
        kernel = Batching()
        answer = self.time(kernel, "warm")
        self.assertEqual(kernel.batches, (1024, 1024, 1024, 1024))  # 1 ms of calls of 100 ns would be more than the most
        self.assertEqual(answer["calls_per_sample"], 1024)
        self.assertEqual(answer["samples_ns"], [100.0] * 4)

    def test_a_delay_is_in_the_timed_calls_alone(self):
        kernel = Copy()
        for cache in ("cold", "warm"):
            answer = self.time(kernel, cache, delay_ns=2_000_000)
            self.assertGreaterEqual(min(answer["samples_ns"]), 2_000_000)
            self.assertEqual(answer["calls_per_sample"], 1)
            self.assertLess(min(self.time(kernel, cache)["samples_ns"]), 1_000_000)
        self.assertEqual(pawl_protocol._KernelMethods(kernel, None).capabilities, ["run", "time", "delay"])
        self.assertEqual(pawl_protocol._KernelMethods(Clocked(), None).capabilities, ["run", "time"])
        with self.assertRaises(pawl_protocol.Unsupported):
            self.time(Clocked(), "cold", delay_ns=1000)


class FakeCuda:
    """torch.cuda with a clock of its own: a call takes 1000 ns, a cycle of _sleep half a nanosecond."""

    def __init__(self):
        self.now_ns, self.captured = 0, None

    def do(self, work):
        self.captured.append(work) if self.captured is not None else work()

    def pass_time(self, ns):
        def work():
            self.now_ns += ns
        self.do(work)

    def _sleep(self, cycles):
        self.pass_time(cycles / 2)

    def Event(self, **_):
        event = types.SimpleNamespace(at=0)
        event.record = lambda: self.do(lambda: setattr(event, "at", self.now_ns))
        event.elapsed_time = lambda end: (end.at - event.at) * 1e-6
        return event

    def CUDAGraph(self, **_):
        graph = types.SimpleNamespace(works=[], instantiate=lambda: None)
        graph.replay = lambda: [work() for work in graph.works]
        return graph

    @contextlib.contextmanager
    def graph(self, graph):
        self.captured = graph.works
        yield
        self.captured = None

    def Stream(self):
        return types.SimpleNamespace(wait_stream=lambda _: None)

    def stream(self, _):
        return contextlib.nullcontext()

    def current_stream(self):
        pass

    def synchronize(self):
        pass


class Torch(unittest.TestCase):
    def test_a_delay_is_behind_every_call_of_the_graph(self):
        cuda = FakeCuda()

        class Fake(pawl_torch.TorchKernel):
            name, operator = "fake", "fake"

            def __init__(self):
                self.torch = types.SimpleNamespace(cuda=cuda)
                self.dtypes, self.delay_cycles, self.cycles_per_ns = {}, 0, None

            def compute(self, tensors, shape):
                cuda.pass_time(1000)
                return types.SimpleNamespace(fill_=lambda value: None)

        kernel = Fake()
        self.assertIn("delay", pawl_protocol._KernelMethods(kernel, None).capabilities)
        capture = pawl_torch._Capture(kernel, {}, {})
        self.assertEqual((capture.replay(1), capture.replay(4)), (1000, 4000))
        kernel.delay(2000)
        self.assertEqual(kernel.delay_cycles, 4000)
        self.assertEqual((capture.replay(1), capture.replay(4)), (3000, 12000))
        kernel.delay(3000)
        self.assertEqual(capture.replay(1), 4000)
        kernel.delay(0)
        self.assertEqual((capture.replay(1), capture.replay(2)), (1000, 2000))
        self.assertEqual(len(capture.batches), 2)


if __name__ == "__main__":
    unittest.main()
