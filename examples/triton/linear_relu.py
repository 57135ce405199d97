# SPDX-License-Identifier: Apache-2.0
"""A matrix product with bias and ReLU; Triton's own autotuner in `tuned`."""

import pawl

pawl.need("torch", "triton")
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


def product_body(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        inner = first + k
        left = tl.load(a + m[:, None] * K + inner[None, :], mask=(m[:, None] < M) & (inner[None, :] < K), other=0)
        right = tl.load(b + inner[:, None] * N + n[None, :], mask=(inner[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(left, right, total)
    total = tl.maximum(total + tl.load(bias + n, mask=n < N, other=0).to(tl.float32)[None, :], 0)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


product = triton.jit(product_body)
configs = [triton.Config({"BM": m, "BN": n, "BK": 64}, num_warps=warps, num_stages=3)
           for m, n, warps in ((128, 128, 8), (64, 128, 4), (128, 256, 8))]
tuned_product = triton.autotune(configs, key=["M", "N", "K"])(triton.jit(product_body))


@pawl.kernel("linear_relu", params={"BM": 128, "BN": 128, "BK": 64, "num_warps": 8, "num_stages": 3}, deterministic=True)
def linear_relu(a, b, bias, c, M, N, K, BM, BN, BK, num_warps, num_stages):
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    product[grid](a, b, bias, c, M, N, K, BM=BM, BN=BN, BK=BK, num_warps=num_warps, num_stages=num_stages)


@pawl.kernel("linear_relu", deterministic=True)
def tuned(a, b, bias, c, M, N, K):
    tuned_product[lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))](a, b, bias, c, M, N, K)


pawl.serve()
