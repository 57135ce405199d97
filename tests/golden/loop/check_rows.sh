# SPDX-License-Identifier: Apache-2.0
# A failed row is repeated by its number: with the same inputs, alone, under a debugger. Failures that look alike share a
# line.
repository
sed -i 's/return 0;/if (n > 1) y[n - 1] = 0; return 0;/' kernels/scale_cpu.c
try pawl check
try pawl check scale_cpu --row 2,3 --seed 7
try pawl check scale_cpu --row 0-1
try pawl check scale_cpu --set n=7
try pawl check scale_cpu --set n=7 --row 1 --seed 3
quiet pawl -q run
sed -n '/^### Correctness/,/repeats/p' perf/out/report.md
field perf/out/verdict.json checks.0.failures.1.row
quiet pawl run
try pawl check scale_cpu --row 4
try pawl check --row 1
try pawl check scale_cpu --row 3-2
try pawl check scale_cpu --row two
try pawl check scale_cpu --under ''
try pawl check scale_cpu --under no-such-program
git checkout -q kernels
sed -i 's/return 0;/printf("n is %lld\\n", (long long)n); if (n > 1) *(volatile int *)0 = 1; return 0;/; s/^#include <pawl.*/&\n#include <stdio.h>/' kernels/scale_cpu.c
try pawl check scale_cpu --row 3
pawl check scale_cpu --row 0 --show-output 2>&1 | uniq
cat >under.sh <<'SCRIPT'
#!/bin/sh
echo "[under]" >&2
exec "$@"
SCRIPT
chmod +x under.sh
try pawl check scale_cpu --row 0 --under ./under.sh
PAWL_ISOLATION=required try pawl check scale_cpu --row 0 --under ./under.sh
