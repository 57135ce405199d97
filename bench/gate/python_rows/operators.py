# SPDX-License-Identifier: Apache-2.0
"""R steps that leave each element as it is, so that small tensors take long and their exact answer is quick."""

import pawl

pawl.need("numpy")
import numpy as np  # noqa: E402


@pawl.operator(sizes="M N R", tensors={"x": "in[M, N]", "y": "out[M, N]"}, dtypes="f32", tolerances={"f32": (1e-5, 1e-3)},
               flop="3 * M * N * R", independent="M")
def steps(x, R):
    return np.sqrt(x * x + R * 1e-30)


pawl.serve()
