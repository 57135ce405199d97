# SPDX-License-Identifier: Apache-2.0
# A candidate that looks faster by less than half of 'improve' neither ends the screening nor is raced: it would be noise.
# Needs true times.
repository
sleeps 20
sed -i 's/{0, 20000000}/{0, MS * 1000000}/' kernels/scale_cpu.c
sed -i 's|sources: .kernels/scale_cpu.c.|&, params: {MS: 20}, tune: {MS: [16, 17, 18, 19, 20]}|' pawl.yaml
echo "gate: {tolerate: 5%, detect: 30%, improve: 100%, busy: count}" >>pawl.yaml
commit "Tune"
pawl -q tune scale_cpu --case tiny --strategy exhaustive --budget 5m
field perf/out/tune/tune.json finalists
