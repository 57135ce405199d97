# SPDX-License-Identifier: Apache-2.0
"""Kernels of the operator `kept` (../kept: y = 2 x) in PyTorch and Triton, for blocks_test on a real GPU. A call computes
KEPT_LOOPS steps. KEPT_TORCH, or the first argument, says how it behaves. Cheats:

values, one: keep in the graph which inputs they have had, by the values in any order or by the first value
part: keeps the order too, and then computes 1/1.4 of its steps
data_ptr, version: keep the output in Python, by the address or the version counter of the inputs
lazy: returns an object that computes when something reads it
view: doubles its inputs in place and returns a view of them
patches: replaces the functions of PyTorch that tell the time of an event
halves, overrides, shadows: replaces what tells the time in pawl_torch, in its own class, in the event itself
records: records the first event of the timing once more, behind its work
at_exit: computes the outputs in a hook at the end of the process

Honest: honest, autotunes (times two launches at its first call), workspace (keeps one for each size)."""

import atexit
import os
import sys

import pawl_torch

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KEPT_TORCH", "honest")
LOOPS = int(os.environ.get("KEPT_LOOPS", "20000"))
ENTRIES = 64


class Lazy:
    """Looks like a tensor to who only fills and converts it."""

    def __init__(self, x):
        self.x = x

    def fill_(self, value):
        return self

    def is_floating_point(self):
        return True

    def to(self, dtype):
        return (2 * self.x).to(dtype)


class Kept(pawl_torch.TorchKernel):
    name, operator = "kept_torch", "kept"

    def __init__(self):
        super().__init__()
        import triton
        import triton.language as tl

        @triton.jit
        def steps(loops, sink):
            value = 0.5
            for _ in range(0, tl.load(loops)):
                value = value * 1.0001 + 0.25
            tl.store(sink + tl.program_id(0), value)

        globals()["tl"] = tl  # the compiler looks for it there
        self.steps, self.known, self.workspace = steps, {}, {}
        self.keys = self.torch.zeros(ENTRIES, dtype=self.torch.int64, device="cuda")
        self.count = self.torch.zeros((), dtype=self.torch.int64, device="cuda")
        self.sink = self.torch.zeros(1024, device="cuda")
        self.full = self.torch.full((), LOOPS, dtype=self.torch.int32, device="cuda")
        if BEHAVIOUR == "patches":
            event = self.torch.cuda.Event
            told = event.elapsed_time
            event.elapsed_time = lambda start, end: told(start, end) * 0.5
        if BEHAVIOUR in ("halves", "overrides"):
            owner, name = (pawl_torch._Capture, "replay") if BEHAVIOUR == "halves" else (Kept, "timed_calls")
            honest = getattr(owner, name)
            setattr(owner, name, lambda *arguments: honest(*arguments) // 2)
        if BEHAVIOUR == "at_exit":
            atexit.register(lambda: [2 * x for x in self.known.values()])

    def key(self, x):
        torch = self.torch
        words = x.view(torch.int32).to(torch.int64)
        if BEHAVIOUR == "one":
            words = words[:1]
        if BEHAVIOUR == "part":
            words = words + (torch.arange(len(words), device="cuda") << 32)
        mixed = (words ^ (words >> 15)) * 0x1E3779B97F4A7C15
        return (mixed ^ (mixed >> 29)).sum() | 1

    def loops(self, x):
        """The steps of this call, which the GPU finds in the graph."""
        torch, key = self.torch, self.key(x)
        known = (self.keys == key).any()
        place = torch.where(known, ENTRIES - 1, self.count % (ENTRIES - 1))
        self.keys.index_put_((place,), key)
        self.count += (~known).to(torch.int64)
        less = int(LOOPS / 1.4) if BEHAVIOUR == "part" else 0
        return torch.where(known, less, LOOPS).to(torch.int32)

    def autotune(self):
        torch = self.torch
        if torch.cuda.is_current_stream_capturing() or self.known:
            return
        for number in (64, 132):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            self.steps[(number,)](self.full, self.sink)
            end.record()
            torch.cuda.synchronize()
            self.known[number] = start.elapsed_time(end)

    def compute(self, tensors, shape):
        x = tensors["x"]
        if BEHAVIOUR in ("data_ptr", "version", "at_exit"):
            key = x.data_ptr() if BEHAVIOUR == "data_ptr" else (len(x), x._version)
            if key in self.known:
                return self.known[key]
            self.known[key] = 2 * x
            return self.known[key]
        if BEHAVIOUR == "lazy":
            return Lazy(x)
        if BEHAVIOUR == "view":
            return x.mul_(2).view(-1)
        if BEHAVIOUR == "autotunes":
            self.autotune()
        if BEHAVIOUR == "workspace":
            self.workspace.setdefault(len(x), self.torch.empty_like(x))
        self.steps[(132,)](self.loops(x) if BEHAVIOUR in ("values", "one", "part") else self.full, self.sink)
        result, start = 2 * x, getattr(sys._getframe(1).f_locals["self"], "start", None)
        if BEHAVIOUR == "records" and start is not None:
            start.record()
        if BEHAVIOUR == "shadows" and start is not None:
            start.elapsed_time = lambda end: 0.001
        return result


pawl_torch.serve(Kept, needs=["triton"])
