# SPDX-License-Identifier: Apache-2.0
# A kernel that crashes costs its rows, with the cause.
repository
sed -i 's/const int64_t n = .*/&\n  *(volatile int *)0 = 1;/' kernels/scale_cpu.c
try pawl check
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/results.json results.0.reason
field perf/out/results.json results.0.performance
pawl report perf/out/verdict.json | grep -o "crashes in.*\|not run: .*"

# Rows that crash alike are one failure, whatever the rows before them printed; a row that pawl did not run is no crash,
# and has no errors.
git checkout -q kernels
sed -i 's|#include <pawl/kernel.h>|&\n#include <stdio.h>|; s/const int64_t n = .*/&\n  fprintf(stderr, "n is %d\\n", (int)n);\n  if (n >= 1000) *(volatile int *)0 = 1;/' kernels/scale_cpu.c
sed -i 's/scale: {n: .*/scale: {n: [10, 1000, 2000, 3000]}/' pawl.yaml
try pawl check
pawl --json check | python3 -c 'import json, sys
for row in json.load(sys.stdin)["kernels"][0]["rows"]: print(row["row"], row["outcome"], row.get("not_run"), row.get("correlation"))'
