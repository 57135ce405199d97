# SPDX-License-Identifier: Apache-2.0
# The reason that a kernel gives for a shape that it does not support is one line without escape codes. A benchmark in
# which nothing was timed has no decision.
repository
sed -i 's/return shape->dtype.*/(void)shape; return "no\\n::error::forged\\r\\033[31mred\\a";/' kernels/scale_cpu.c
try pawl -q bench
try pawl -q check
