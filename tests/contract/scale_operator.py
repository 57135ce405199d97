# SPDX-License-Identifier: Apache-2.0
"""The operator `scale` of tests/plugins/test_operator.c in Python, without numpy."""
import pawl_protocol


class Scale(pawl_protocol.Operator):
    name, summary = "scale", "y = 2 x"
    params = [{"name": "n", "min": 1, "max": 1 << 24, "default": None, "help": "elements"}]
    distributions = [
        {"name": "normal", "fill": "normal", "scale": 1.0, "adjust": False},
        {"name": "ones", "fill": "normal", "scale": 1.0, "adjust": True},
    ]
    tolerances = [
        {"dtype": "f32", "atol": 1e-6, "rtol": 1e-6, "rel_rms": 1e-6},
        {"dtype": "f16", "atol": 1e-3, "rtol": 1e-3, "rel_rms": 1e-3},
    ]

    def tensors(self, shape):
        if shape["n"] == 13:
            raise pawl_protocol.Invalid("n must not be 13")
        return [{"name": n, "role": r, "dtype": shape["dtype"], "size": [shape["n"]]} for n, r in (("x", "in"), ("y", "out"))]

    def flop(self, shape):
        return shape["n"]

    def adjust(self, tensors, shape, distribution, seed):
        if distribution == "ones":
            tensors["x"].write([1 + seed] * shape["n"])

    def oracle(self, tensors, shape, expected):
        expected["y"].write(2 * x for x in tensors["x"].values())


pawl_protocol.serve(Scale())
