# SPDX-License-Identifier: Apache-2.0
# A budget that is over at once leaves all rows unmeasured: inconclusive, and no pass. pawl judges no row without blocks.
repository
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/2 \* x\[i\]/x[i] + x[i]/; s/int64_t i = 0; i < n/int64_t i = n - n; i < n + 0 * n/; s/y\[i\] =/((volatile float *)y)[i] =/' kernels/scale_cpu.c
try pawl -q run --budget 0.001
field perf/out/verdict.json comparisons.0.reason
try pawl run --budget soon
# the first timing too: what the budget leaves no time for has no time, and is not missing
try pawl -q run --against none --budget 0.001
field perf/out/verdict.json verdict
field perf/out/verdict.json comparisons.0.reason
