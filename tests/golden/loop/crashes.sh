# SPDX-License-Identifier: Apache-2.0
# A kernel that crashes costs its rows, with the cause.
repository
sed -i 's/const int64_t n = .*/&\n  *(volatile int *)0 = 1;/' kernels/scale_cpu.c
try pawl check
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/results.json results.0.reason
field perf/out/results.json results.0.performance
