"""Softmax of each row in numpy, ROWS rows at a time, so that they stay in the caches."""

import pawl

pawl.need("numpy")
import numpy as np  # noqa: E402


@pawl.kernel("row_softmax", device="cpu", params={"ROWS": 64}, deterministic=True)
def softmax_numpy(x, y, M, ROWS):
    for first in range(0, M, ROWS):
        value = x[first : first + ROWS].astype(np.float32)
        weight = np.exp(value - value.max(axis=1, keepdims=True))
        y[first : first + ROWS] = weight / weight.sum(axis=1, keepdims=True)


pawl.serve()
