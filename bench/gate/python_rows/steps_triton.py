# SPDX-License-Identifier: Apache-2.0
"""The steps in Triton, 0."""

import pawl

pawl.need("torch", "triton")
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def steps(x, y, N, R, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * N + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < N
    value = tl.load(x + place, mask=mask, other=0.0)
    for _ in range(0, R):
        value = tl.sqrt(value * value + 1e-30)
    tl.store(y + place, value, mask=mask)


@pawl.kernel("steps", deterministic=True)
def rows(x, y, M, N, R):
    steps[(M,)](x, y, N, R, BLOCK=triton.next_power_of_2(N), num_warps=4)


pawl.serve()
