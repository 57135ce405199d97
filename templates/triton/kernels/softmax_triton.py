"""Softmax of each row in Triton: a program for each row. `interpreted` runs the same code on the CPU."""

import os
import sys

import pawl

if "interpreted" in sys.argv:
    os.environ["TRITON_INTERPRET"] = "1"  # Triton looks at it when it is imported
pawl.need("torch", "triton")
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def softmax(x, y, N, BLOCK: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * N
    column = tl.arange(0, BLOCK)
    value = tl.load(x + begin + column, mask=column < N, other=float("-inf")).to(tl.float32)
    weight = tl.exp(value - tl.max(value, 0))
    tl.store(y + begin + column, (weight / tl.sum(weight, 0)).to(y.dtype.element_ty), mask=column < N)


@pawl.kernel("row_softmax", params={"num_warps": 4}, supports="N <= 16384", deterministic=True)
def on_gpu(x, y, M, N, num_warps):
    softmax[(M,)](x, y, N, BLOCK=triton.next_power_of_2(N), num_warps=num_warps)


@pawl.kernel("row_softmax", device="cpu", arrays="torch", supports="M <= 64")
def interpreted(x, y, M, N):
    softmax[(M,)](x, y, N, BLOCK=triton.next_power_of_2(N))


pawl.serve()
