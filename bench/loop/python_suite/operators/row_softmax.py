# SPDX-License-Identifier: Apache-2.0
"""Softmax of each row: the exact answer in FP64, over the protocol that both builds know."""
import numpy as np
import pawl_protocol


class Softmax(pawl_protocol.Operator):
    name, summary = "row_softmax", "softmax of each row"
    params = [{"name": "M", "min": 1, "max": 1 << 20, "default": None, "help": ""}, {"name": "N", "min": 1, "max": 1 << 15, "default": None, "help": ""}]
    distributions = [{"name": "normal", "fill": "normal", "scale": 1.0, "adjust": False}, {"name": "large", "fill": "normal", "scale": 30.0, "adjust": False}]
    tolerances = [{"dtype": "f32", "atol": 1e-5, "rtol": 1e-4, "rel_rms": 1e-3}, {"dtype": "f16", "atol": 1e-3, "rtol": 2e-3, "rel_rms": 1e-2}]

    def tensors(self, shape):
        return [{"name": name, "role": role, "dtype": shape["dtype"], "size": [shape["M"], shape["N"]]} for name, role in (("x", "in"), ("y", "out"))]

    def flop(self, shape):
        return 5 * shape["M"] * shape["N"]

    def oracle(self, tensors, shape, expected):
        x = tensors["x"].array().astype(np.float64)
        weight = np.exp(x - x.max(axis=1, keepdims=True))
        expected["y"].array()[...] = weight / weight.sum(axis=1, keepdims=True)


pawl_protocol.serve(Softmax())
