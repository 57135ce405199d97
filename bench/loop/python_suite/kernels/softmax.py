# SPDX-License-Identifier: Apache-2.0
"""Softmax of each row in Triton."""
import pawl_torch
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, N, BLOCK: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * N
    column = tl.arange(0, BLOCK)
    value = tl.load(x + begin + column, mask=column < N, other=float("-inf")).to(tl.float32)
    weight = tl.exp(value - tl.max(value, 0))
    tl.store(y + begin + column, (weight / tl.sum(weight, 0)).to(y.dtype.element_ty), mask=column < N)


class Softmax(pawl_torch.TorchKernel):
    name, operator, deterministic = "softmax", "row_softmax", True

    def compute(self, tensors, shape):
        x = tensors["x"]
        y = self.torch.empty_like(x)
        softmax[(shape["M"],)](x, y, shape["N"], BLOCK=triton.next_power_of_2(shape["N"]), num_warps=4)
        return y


pawl_torch.serve(Softmax)
