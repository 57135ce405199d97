# SPDX-License-Identifier: Apache-2.0
# A compiler error is shown with its source lines, and is exit status 1; run reports it and times nothing.
repository
sed -i 's/y\[i\] = 2 \* x\[i\];/y[i] = 2 * z[i];/' kernels/scale_cpu.c
try pawl build
quiet pawl -q run
head -1 perf/out/report.md
grep -c 'y\[i\] = 2 \* z\[i\];' perf/out/report.md
field perf/out/results.json results.0.outcome
field perf/out/results.json results.0.performance
