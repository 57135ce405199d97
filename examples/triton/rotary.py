# SPDX-License-Identifier: Apache-2.0
"""Rotary embedding in place."""

import pawl

pawl.need("torch", "triton")
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def rotate(q, cos, sin, H, D: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < D // 2
    c = tl.load(cos + place // H * (D // 2) + column, mask=mask)
    s = tl.load(sin + place // H * (D // 2) + column, mask=mask)
    low = tl.load(q + place * D + column, mask=mask).to(tl.float32)
    high = tl.load(q + place * D + D // 2 + column, mask=mask).to(tl.float32)
    tl.store(q + place * D + column, (low * c - high * s).to(q.dtype.element_ty), mask=mask)
    tl.store(q + place * D + D // 2 + column, (high * c + low * s).to(q.dtype.element_ty), mask=mask)


@pawl.kernel("rotary", params={"num_warps": 1}, deterministic=True)
def rotary(q, cos, sin, T, H, D, num_warps):
    rotate[(T * H,)](q, cos, sin, H, D, BLOCK=triton.next_power_of_2(D // 2), num_warps=num_warps)


pawl.serve()
