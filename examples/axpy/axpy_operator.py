# SPDX-License-Identifier: Apache-2.0
"""Operator `axpy`: y = 2 x + y, the smallest with an `inout` tensor. An operator in Python: what a plug-in written in C
says with struct pawl_operator, over the worker protocol. Standard library only."""
import pawl_protocol

ALPHA = 2.0


class Axpy(pawl_protocol.Operator):
    name, summary = "axpy", "y = 2 x + y"
    params = [{"name": "n", "min": 1, "max": 1 << 24, "default": None, "help": "elements of x and y"}]
    distributions = [
        {"name": "normal", "fill": "normal", "scale": 1.0, "adjust": False},
        {"name": "cancelling", "fill": "normal", "scale": 1.0, "adjust": True},
        {"name": "zero_one", "fill": "zero_one", "scale": 1.0, "adjust": False},
    ]
    # 2 x is exact in every binary dtype, so an honest kernel rounds once: half a unit in the last place, 2^-24 or 2^-11
    # of the result. Twice that is allowed; the absolute part is for results too small to be normal numbers.
    tolerances = [
        {"dtype": "f32", "atol": 1e-37, "rtol": 1.2e-7, "rel_rms": 1.2e-7},
        {"dtype": "f16", "atol": 6e-8, "rtol": 1e-3, "rel_rms": 1e-3},
    ]

    def tensors(self, shape):
        return [
            {"name": "x", "role": "in", "dtype": shape["dtype"], "size": [shape["n"]]},
            {"name": "y", "role": "inout", "dtype": shape["dtype"], "size": [shape["n"]]},
        ]

    def flop(self, shape):
        return 2 * shape["n"]

    def adjust(self, tensors, shape, distribution, seed):
        """cancelling: every other y becomes -2 x + 1, so that the result is 1 and what y held before counts."""
        x, y = tensors["x"].values(), tensors["y"].values()
        for i in range(seed % 2, len(y), 2):
            y[i] = 1.0 - ALPHA * x[i]
        tensors["y"].write(y)

    def oracle(self, tensors, shape, expected):
        expected["y"].write(ALPHA * x + y for x, y in zip(tensors["x"].values(), tensors["y"].values()))


pawl_protocol.serve(Axpy())
