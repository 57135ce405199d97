# SPDX-License-Identifier: Apache-2.0
# A kernel that hangs is ended when its time is up.
repository
sed -i 's/timeout: 30s/timeout: 1s/' pawl.yaml
commit "Allow a second"
sed -i 's/const int64_t n = .*/&\n  for (volatile int go = 1; go;) {}/' kernels/scale_cpu.c
try pawl check --case tiny
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/results.json results.0.reason
