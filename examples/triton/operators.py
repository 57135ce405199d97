# SPDX-License-Identifier: Apache-2.0
"""Operators with several outputs, an inout and three inputs: the exact answers in FP64."""

import pawl

pawl.need("numpy")
import numpy as np  # noqa: E402


@pawl.operator(sizes={"M": (1, 1 << 20), "N": (1, 1 << 15)}, dtypes="f16 f32",
               tensors={"x": "in[M, N]", "w": "in[N]", "y": "out[M, N]", "rstd": "out f32[M]"}, flop="8 * M * N",
               independent="M")
def layer_norm(x, w):
    x = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((x * x).mean(axis=1) + 1e-5)
    return x * rstd[:, None] * w, rstd


@pawl.operator(sizes={"T": (1, 1 << 20), "H": (1, 256), "D": (2, 256)}, dtypes="f16 f32", requires="D % 2 == 0",
               tensors={"q": "inout[T, H, D]", "cos": "in f32[T, D // 2]", "sin": "in f32[T, D // 2]"}, flop="3 * T * H * D",
               independent="T")
def rotary(q, cos, sin, D):
    a, b, c, s = q[..., : D // 2], q[..., D // 2 :], cos[:, None], sin[:, None]
    return np.concatenate([a * c - b * s, b * c + a * s], axis=2)


@pawl.operator(sizes={"M": (1, 1 << 15), "N": (1, 1 << 15), "K": (1, 1 << 15)}, dtypes="f16",
               tensors={"a": "in[M, K]", "b": "in[K, N]", "bias": "in[N]", "c": "out[M, N]"}, flop="2 * M * N * K")
def linear_relu(a, b, bias):
    return np.maximum(a @ b + bias, 0)


pawl.serve()
