# SPDX-License-Identifier: Apache-2.0
"""The same operators in numpy, for machines without a GPU."""

import pawl

pawl.need("numpy")
import numpy as np  # noqa: E402


@pawl.kernel("layer_norm", device="cpu", deterministic=True)
def layer_norm(x, w, y):
    value = x.astype(np.float32)
    value -= value.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((value * value).mean(axis=1) + np.float32(1e-5))
    y[...] = value * rstd[:, None] * w.astype(np.float32)
    return rstd


@pawl.kernel("rotary", device="cpu", deterministic=True)
def rotary(q, cos, sin, D):
    low, high = q[..., : D // 2].astype(np.float32), q[..., D // 2 :].astype(np.float32)
    c, s = cos[:, None], sin[:, None]
    q[..., : D // 2], q[..., D // 2 :] = low * c - high * s, high * c + low * s


@pawl.kernel("linear_relu", device="cpu")
def linear_relu(a, b, bias):
    return np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias.astype(np.float32), 0)


pawl.serve()
