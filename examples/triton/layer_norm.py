# SPDX-License-Identifier: Apache-2.0
"""Layer norm with two outputs."""

import pawl

pawl.need("torch", "triton")
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def forward(x, w, y, rstd, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < N
    value = tl.load(x + row.to(tl.int64) * N + column, mask=mask, other=0).to(tl.float32)
    value = tl.where(mask, value - tl.sum(value, 0) / N, 0)
    scale = 1 / tl.sqrt(tl.sum(value * value, 0) / N + 1e-5)
    weight = tl.load(w + column, mask=mask, other=0).to(tl.float32)
    tl.store(rstd + row, scale)
    tl.store(y + row.to(tl.int64) * N + column, (value * scale * weight).to(y.dtype.element_ty), mask=mask)


@pawl.kernel("layer_norm", params={"num_warps": 4}, supports="N <= 32768", deterministic=True)
def layer_norm(x, w, y, rstd, M, N, num_warps):
    forward[(M,)](x, w, y, rstd, N, BLOCK=triton.next_power_of_2(N), num_warps=num_warps)


pawl.serve()
