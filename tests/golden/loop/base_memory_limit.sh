# SPDX-License-Identifier: Apache-2.0
# A change cannot raise its own limit of memory: the base's holds, and the report names both.
repository
sed -i 's/^measure: {/&memory_limit: 256MiB, /' pawl.yaml
commit "Bound the memory"
quiet pawl -q run --update-baseline
commit "Record the baseline"
git checkout -q -b larger
sed -i 's/memory_limit: 256MiB/memory_limit: 8GiB/' pawl.yaml
sed -i 's|#include <pawl/kernel.h>|&\n#include <stdlib.h>\n#include <string.h>|; s/const int64_t n = .*/&\n  char *volatile more = malloc((size_t)1 << 30);\n  memset(more, 1, (size_t)1 << 30);\n  free(more);/' kernels/scale_cpu.c
commit "Take a GiB"
quiet pawl -q run
head -1 perf/out/report.md
grep -o "[^.|>]*memory_limit[^|]*" perf/out/report.md
field perf/out/results.json results.0.reason
