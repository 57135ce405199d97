"""Softmax of each row. The function is the exact answer: numpy in FP64."""

import pawl

pawl.need("numpy")
import numpy as np  # noqa: E402


@pawl.operator(sizes={"M": (1, 1 << 20, None, "rows"), "N": (1, 1 << 15, None, "columns")},
               tensors={"x": "in[M, N]", "y": "out[M, N]"}, dtypes="f32 f16", flop="5 * M * N",
               independent="M",  # one row does not change another, so all CPUs compute
               distributions={"normal": "normal", "large": ("normal", 30.0), "equal": "constant_rows"})
def row_softmax(x):
    """y = exp(x) / sum(exp(x)) of each row"""
    weight = np.exp(x - x.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


pawl.serve()
