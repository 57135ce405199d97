# SPDX-License-Identifier: Apache-2.0
# A kernel that supports no case: nothing is timed, and nothing is decided.
repository
sed -i 's/return shape->dtype == PAWL_F32 ? NULL : "only f32";/return shape ? "it needs AVX-1024" : NULL;/' kernels/scale_cpu.c
quiet pawl -q bench -o results.json
field results.json results.0.outcome
field results.json results.0.reason
quiet pawl -q run
