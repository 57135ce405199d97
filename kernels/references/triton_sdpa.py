# SPDX-License-Identifier: Apache-2.0
"""Attention in Triton, as an example of a kernel that joins by a short script. Method: online softmax (Milakov and
Gimelshein, "Online normalizer calculation for softmax", 2018) over blocks of keys."""

import pawl_torch

try:
    import triton
    import triton.language as tl
except ImportError:  # serve() says so
    triton = None

BLOCK_M, BLOCK_N = 128, 64

if triton:

    @triton.jit
    def sdpa(q, k, v, o, S, scale, causal: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
        base = tl.program_id(1).to(tl.int64) * S * D  # the first element of this head
        rows, dims = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
        at_row = base + rows[:, None] * D + dims[None, :]
        query = tl.load(q + at_row, mask=rows[:, None] < S, other=0.0)
        largest = tl.full([M], float("-inf"), tl.float32)
        total, result = tl.zeros([M], tl.float32), tl.zeros([M, D], tl.float32)
        end = tl.minimum(S, (tl.program_id(0) + 1) * M) if causal else S
        for first in range(0, end, N):
            keys = first + tl.arange(0, N)
            at_key, valid = base + keys[:, None] * D + dims[None, :], keys[:, None] < S
            key = tl.load(k + at_key, mask=valid, other=0.0)
            score = tl.dot(query, tl.trans(key), input_precision="ieee") * (scale * 1.4426950408889634)
            seen = (keys[None, :] <= rows[:, None]) & (keys[None, :] < S) if causal else keys[None, :] < S
            score = tl.where(seen, score, float("-inf"))
            now = tl.maximum(largest, tl.max(score, 1))
            weight, shrink = tl.exp2(score - now[:, None]), tl.exp2(largest - now)
            value = tl.load(v + at_key, mask=valid, other=0.0)
            result = result * shrink[:, None] + tl.dot(weight.to(value.dtype), value, input_precision="ieee")
            total, largest = total * shrink + tl.sum(weight, 1), now
        tl.store(o + at_row, (result / total[:, None]).to(o.dtype.element_ty), mask=rows[:, None] < S)


class TritonSdpa(pawl_torch.TorchKernel):
    name, operator, deterministic = "triton_sdpa", "attention", True

    def environment(self):
        return {**super().environment(), "triton": triton.__version__}

    def supports(self, shape):
        known = shape["D"] in (16, 32, 64, 128) and shape["dtype"] in ("f16", "bf16", "f32")
        return None if known else "D must be 16, 32, 64 or 128, in f16, bf16 or f32"

    def compute(self, tensors, shape):
        q, k, v = (tensors[name] for name in "qkv")
        o = self.torch.empty_like(q)
        grid = (triton.cdiv(shape["S"], BLOCK_M), shape["B"] * shape["H"])
        sdpa[grid](q, k, v, o, shape["S"], shape["D"] ** -0.5, bool(shape.get("causal", 0)), shape["D"], BLOCK_M, BLOCK_N)
        return o


if __name__ == "__main__":
    pawl_torch.serve(TritonSdpa, needs=["triton"])
