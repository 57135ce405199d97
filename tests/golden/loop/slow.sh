# SPDX-License-Identifier: Apache-2.0
# A kernel whose calls take long is timed within the limit of a request: pawl adds no more calls than fit.
repository
sed -i 's/samples: 12, processes: 6/samples: 2, processes: 2/' pawl.yaml
sed -i 's/^  return 0;/  usleep(450000);\n  return 0;/; 1i #include <unistd.h>' kernels/scale_cpu.c
sed -i 's/^  scale: {n.*/  scale: {n: [1]}/' pawl.yaml
pawl -q --json bench >"$SCRATCH/bench.json"
field "$SCRATCH/bench.json" results.0.outcome
