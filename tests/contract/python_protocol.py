#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How pawl_protocol.py times: which calls are batched, and what is said of it. PYTHONPATH names its folder."""

import unittest

import pawl_protocol


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
    def time(self, kernel, cache, role="out"):
        methods = pawl_protocol._KernelMethods(kernel, None)
        arenas = {5: bytearray(b"\x01" * 64)}
        for first in (0, 32):
            rows = [("x", "in", first), ("y", role, first + 16)]
            methods.sets.append({name: pawl_protocol.Tensor(
                {"name": name, "role": r, "dtype": "f32", "size": [4], "fd": 5, "offset": offset, "bytes": 16}, arenas)
                for name, r, offset in rows})
        answer = methods.time({"warmup": 3, "samples": 4, "cache": cache, "flush_bytes": 64})
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
        self.assertEqual(kernel.batches, (128, 128, 128, 128))  # 10 us of calls of 100 ns
        self.assertEqual(answer["calls_per_sample"], 128)
        self.assertEqual(answer["samples_ns"], [100.0] * 4)


if __name__ == "__main__":
    unittest.main()
