#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Oracles of pawl.py that compute parts on all CPUs, and the memory of an operator's process. PYTHONPATH names its folder."""

import math
import mmap
import resource
import subprocess
import sys
import threading
import unittest
import unittest.mock

import pawl
import pawl_counters
import pawl_protocol

try:
    import numpy as np
except ImportError:
    np = None

NORM = {"x": "in[M, N]", "w": "in f32[N]", "seen": "inout[M]", "y": "out[M, N]", "mean": "out[M]"}


def norm(x, w, seen, M):
    mean = x.mean(axis=1)
    return {"y": (x - mean[:, None]) * w, "mean": mean, "seen": seen + x[:, 0]}


def made(function, layout, **options):
    return pawl._Operator("op", function, {"M": (1, 99), "N": (1, 99)}, layout, ["f32"], {}, {"normal": "normal"}, 0, None, None,
                          options.pop("arrays", "numpy"), **options)


def answers(operator, shape):
    """The expected values of inputs from one seed."""
    random, tensors, expected = np.random.default_rng(1), {}, {}
    for row in operator.tensors(shape):
        count = math.prod(row["size"])
        tensors[row["name"]] = pawl_protocol.Tensor({**row, "fd": 0, "offset": 0, "bytes": 4 * count}, {0: mmap.mmap(-1, 4 * count)})
        tensors[row["name"]].array()[...] = random.standard_normal(row["size"])
        if row["role"] != "in":
            expected[row["name"]] = pawl_protocol.Tensor({**row, "dtype": "f64", "fd": 0, "offset": 0, "bytes": 8 * count},
                                                         {0: mmap.mmap(-1, 8 * count)})
    operator.oracle(tensors, shape, expected)
    return {name: tensor.array() for name, tensor in expected.items()}


@unittest.skipIf(np is None, "numpy is missing")
class Parts(unittest.TestCase):
    shape = {"M": 23, "N": 8, "dtype": "f32"}

    def setUp(self):
        patch = unittest.mock.patch.object(pawl, "_PART", 4 * 8)  # four rows
        patch.start()
        self.addCleanup(patch.stop)

    def test_parts_are_the_whole(self):
        lengths = []

        def noted(x, w, seen, M):
            lengths.append((len(x), M))
            return norm(x, w, seen, M)

        whole, parts = answers(made(norm, NORM), self.shape), answers(made(noted, NORM, independent="M"), self.shape)
        self.assertEqual(sorted(whole), ["mean", "seen", "y"])
        for name, value in whole.items():
            np.testing.assert_allclose(parts[name], value, rtol=1e-12, atol=1e-12)
        self.assertEqual(lengths[:3], [(8, 8), (4, 4), (4, 4)])  # the comparison
        self.assertEqual(sorted(lengths[3:]), [(3, 3)] + 5 * [(4, 4)])

    def test_another_axis(self):
        layout = {"x": "in[M, N]", "y": "out[M, N]"}
        columns = lambda x: x / np.abs(x).sum(axis=0)  # noqa: E731
        whole, parts = (answers(made(columns, layout, **options), self.shape) for options in ({}, {"independent": "N"}))
        np.testing.assert_allclose(parts["y"], whole["y"], rtol=1e-12)
        with self.assertRaisesRegex(ValueError, "'y' depends on more than its own index of M"):
            answers(made(columns, layout, independent="M"), self.shape)

    def test_what_knows_its_place_is_not_independent(self):
        with self.assertRaisesRegex(ValueError, "not independent along M"):
            answers(made(lambda x: x * np.arange(len(x))[:, None], {"x": "in[M, N]", "y": "out[M, N]"}, independent="M"), self.shape)

    def test_all_cpus_compute_at_once(self):
        """Each of three parts waits for the others."""
        meeting, main = threading.Barrier(3, timeout=60), threading.current_thread()

        def meet(x):
            if threading.current_thread() is not main:  # the comparison comes before
                meeting.wait()
            return x

        with unittest.mock.patch.object(pawl.os, "sched_getaffinity", lambda process: {0, 1, 2}):
            answers(made(meet, {"x": "in[M, N]", "y": "out[M, N]"}, independent="M"), {**self.shape, "M": 12})

    def test_one_part_needs_no_comparison(self):
        calls = []
        answers(made(lambda x: calls.append(1) or x, {"x": "in[M, N]", "y": "out[M, N]"}, independent="M"), {**self.shape, "M": 4})
        self.assertEqual(len(calls), 1)

    def test_what_all_parts_read_cannot_be_written(self):
        def careless(x, w):
            w += 1
            return x * w

        with self.assertRaisesRegex(ValueError, "read-only"):
            answers(made(careless, {"x": "in[M, N]", "w": "in[N]", "y": "out[M, N]"}, independent="M"), self.shape)

    def test_layouts_without_parts_are_refused(self):
        for layout in ({"y": "out[N]"}, {"y": "out[M, M]"}, {"y": "out[M + 1]"}, {"y": "out[M]", "x": "in[M, 2 * M]"}):
            with self.assertRaisesRegex(ValueError, "each output has this size once"):
                made(norm, layout, independent="M")
        for options in ({"independent": "K"}, {"independent": "M", "arrays": "torch"}):
            with unittest.mock.patch.object(pawl, "need"), self.assertRaisesRegex(ValueError, "name one of M, N"):
                made(norm, NORM, **options)


class Process(unittest.TestCase):
    def test_freed_memory_stays_with_an_operator(self):
        """New memory costs a fault for each page."""
        script = ("import ctypes, resource, pawl_protocol\n"
                  "ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)\n"  # no huge pages, which need few faults
                  "if {}: pawl_protocol._OperatorMethods(None, None)\n"
                  "del (block := bytearray(64 << 20))[:]\ndel block\n"
                  "before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
                  "bytearray(64 << 20)\n"
                  "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n")
        pages = (64 << 20) // resource.getpagesize()
        kept, new = (int(subprocess.run([sys.executable, "-c", script.format(keeps)], capture_output=True, text=True, check=True).stdout)
                     for keeps in (True, False))
        self.assertLess(kept, pages // 8)
        self.assertGreater(new, pages // 2)

    def test_a_counted_call_leaves_its_outputs(self):
        """Without the library that counts, too."""
        kernel, log = unittest.mock.Mock(), []
        kernel.store = log.append
        with unittest.mock.patch.object(pawl_counters, "LIBRARY", "/missing"):
            answer = pawl_counters.count(kernel, "tensors", {}, {"metrics": []})
        self.assertEqual((log, answer["ns"], answer["counters"]["permitted"]), (["tensors"], 1, True))


if __name__ == "__main__":
    unittest.main()
