# SPDX-License-Identifier: Apache-2.0
# A verdict takes longer than a short budget: pawl says so and ends in time.
# Needs true times.
repository
sleeps 30
sed -i 's/30000000}/MS * 1000000}/' kernels/scale_cpu.c
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], params: {MS: 30}, tune: {MS: [30, 20]}}|" pawl.yaml
echo "gate: {busy: count}" >>pawl.yaml
commit "Tune"
begin=$(date +%s)
try pawl -q tune scale_cpu --case tiny --budget 3s | sed 's/--budget [0-9]*[sm] or/--budget LONGER or/'
took=$(($(date +%s) - begin))
[ $took -le 10 ] || echo "it took $took s"
