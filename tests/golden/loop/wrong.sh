# SPDX-License-Identifier: Apache-2.0
# A kernel that is wrong at one element is found by the check, and is not timed.
repository
sed -i 's/return 0;/y[n - 1] = 0; return 0;/' kernels/scale_cpu.c
try pawl check
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/results.json results.0.outcome
field perf/out/results.json results.0.performance
