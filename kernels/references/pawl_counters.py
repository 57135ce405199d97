# SPDX-License-Identifier: Apache-2.0
"""Counts what a call does on the GPU, by CUPTI in this process: pawl_protocol answers the requests of a profile with it."""

import ctypes
import json
import os
import time

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../libexec/pawl/libpawl-counters.so")
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int)


def count(kernel, tensors, shape, params):
    """The answer of `run` with metrics (docs/protocol.md)."""

    def prepare():
        kernel.load(tensors)
        if params.get("cold"):
            kernel.empty_caches()

    result = _counters(params["metrics"], prepare, lambda: kernel.counted_call(tensors, shape))
    kernel.store(tensors)
    return result


def _counters(metrics, prepare, call):
    """The counters of `run`. CUPTI calls both functions as often as the metrics need."""
    failed, ns = [], [0]

    def timed():
        begin = time.perf_counter_ns()
        call()
        ns[0] = time.perf_counter_ns() - begin

    def guarded(function):
        def run():
            try:
                function()
            except Exception as error:  # it must not pass through the library
                failed.append(error)
            return not failed

        return FUNCTION(run)

    with open("/proc/self/maps") as maps:  # PyTorch brings a CUPTI, and a process has room for one
        loaded = [line.split()[-1] for line in maps if "/libcupti.so" in line]
    if loaded:
        os.environ.setdefault("PAWL_CUPTI_LIBRARY", loaded[0])
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        return {"ns": 1, "counters": {"reason": str(error), "permitted": True}}
    library.pawl_python_counters.restype = ctypes.c_char_p
    found = library.pawl_python_counters(json.dumps(metrics).encode(), guarded(prepare), guarded(timed))
    if failed or found is None:
        raise failed[0] if failed else RuntimeError("the GPU failed while it was counted")
    return {"ns": max(ns[0], 1), "counters": json.loads(found)}
