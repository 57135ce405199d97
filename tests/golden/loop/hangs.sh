# SPDX-License-Identifier: Apache-2.0
# A kernel that hangs is ended when its time is up.
repository
sed -i 's/timeout: 30s/timeout: 1s/' pawl.yaml
commit "Allow a second"
sed -i '1i #include <unistd.h>
s/const int64_t n = .*/&\n  for (;;) pause();/' kernels/scale_cpu.c
try pawl check --case tiny
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/results.json results.0.reason
