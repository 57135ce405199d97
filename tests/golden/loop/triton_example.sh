# SPDX-License-Identifier: Apache-2.0
# The operators of examples/triton (two outputs, an inout, three inputs), on its kernels in numpy.
cp -r "$GOLDEN/../../examples/triton/." .
pawl check layer_norm_numpy rotary_numpy linear_relu_numpy | grep passed
