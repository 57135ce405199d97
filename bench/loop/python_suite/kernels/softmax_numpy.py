# SPDX-License-Identifier: Apache-2.0
"""Softmax of each row in numpy."""
import numpy as np
import pawl_protocol


class Softmax(pawl_protocol.Kernel):
    name, operator, deterministic = "softmax", "row_softmax", True

    def call(self, tensors, shape):
        value, y = tensors["x"].array().astype(np.float32), tensors["y"].array()
        y[...] = softmax(value)


def softmax(value):
    weight = np.exp(value - value.max(axis=1, keepdims=True))
    return (weight / weight.sum(axis=1, keepdims=True))


pawl_protocol.serve(Softmax())
