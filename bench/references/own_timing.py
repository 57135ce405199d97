#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times attention references without pawl: own_timing.py [--cache cold|warm] KERNEL...

Shares nothing with pawl but the kernel in triton_sdpa.py, which must be on PYTHONPATH with pawl_torch and pawl_protocol.
Cold: 200 calls, 256 MB written before each, an event before and after each call. The host enqueues 50 of them at a time
while the GPU spins. Warm: 20 samples of 20 calls, 5 samples at a time."""

import argparse
import statistics

SHAPE = 32, 8, 512, 64  # B, H, S, D; f16
SETS, FLUSH_BYTES = 4, 256 << 20
COLD_SAMPLES, COLD_AHEAD = 200, 50  # in all; enqueued ahead, for a stream holds about 1000 launches
WARM_SAMPLES, WARM_AHEAD, WARM_CALLS = 20, 5, 20
SPIN_CYCLES = 20_000_000  # about 10 ms: the host enqueues the calls in less
KERNELS = "torch_default", "torch_flash", "torch_cudnn", "triton"


def kernel_call(name, torch):
    """A function of q, k and v that returns the output."""
    sdpa = torch.nn.functional.scaled_dot_product_attention
    if name == "triton":
        import triton
        import triton_sdpa

        def call(q, k, v):
            o = torch.empty_like(q)
            heads, length, depth = q.shape[0] * q.shape[1], q.shape[2], q.shape[3]
            triton_sdpa.sdpa[triton.cdiv(length, triton_sdpa.BLOCK_M), heads](
                q, k, v, o, length, depth ** -0.5, False, depth, triton_sdpa.BLOCK_M, triton_sdpa.BLOCK_N)
            return o
        return call
    if name == "torch_default":
        return sdpa
    backend = getattr(torch.nn.attention.SDPBackend, {"torch_flash": "FLASH_ATTENTION", "torch_cudnn": "CUDNN_ATTENTION"}[name])

    def call(q, k, v):
        with torch.nn.attention.sdpa_kernel(backend):
            return sdpa(q, k, v)
    return call


class Timer:
    """One kernel on four sets of inputs. cold() and warm() return samples in microseconds."""

    def __init__(self, name, torch):
        self.torch, self.call = torch, kernel_call(name, torch)
        self.sets = [[torch.randn(SHAPE, dtype=torch.float16, device="cuda") for _ in range(3)] for _ in range(SETS)]
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        for inputs in self.sets * 5:
            self.call(*inputs)
        torch.cuda.synchronize()

    def ahead(self, count, calls, before):
        """`count` samples of `calls` calls; the GPU begins the first when the host has enqueued the last."""
        events = [[self.torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
        spun = self.torch.cuda.Event()
        for attempt in range(5):
            self.torch.cuda._sleep(SPIN_CYCLES << attempt)
            spun.record()
            for number, (start, end) in enumerate(events):
                before()
                start.record()
                for _ in range(calls):
                    self.call(*self.sets[number % SETS])
                end.record()
            in_time = not spun.query()
            self.torch.cuda.synchronize()
            if in_time:
                return [start.elapsed_time(end) * 1e3 / calls for start, end in events]
        raise RuntimeError("the host cannot enqueue %d calls while the GPU spins" % (count * calls))

    def cold(self):
        return [us for _ in range(COLD_SAMPLES // COLD_AHEAD) for us in self.ahead(COLD_AHEAD, 1, self.flush.zero_)]

    def warm(self):
        return [us for _ in range(WARM_SAMPLES // WARM_AHEAD) for us in self.ahead(WARM_AHEAD, WARM_CALLS, lambda: None)]


def main():
    parser = argparse.ArgumentParser(description="times attention references without pawl")
    parser.add_argument("--cache", choices=["cold", "warm"], default="cold")
    parser.add_argument("kernels", nargs="+", choices=KERNELS, metavar="KERNEL")
    options = parser.parse_args()
    import torch

    with torch.no_grad():
        for name in options.kernels:
            samples = getattr(Timer(name, torch), options.cache)()
            print("%-14s %8.2f us  CV %.2f %%" % (name, statistics.median(samples),
                                                  100 * statistics.stdev(samples) / statistics.mean(samples)))


if __name__ == "__main__":
    main()
