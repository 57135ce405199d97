# SPDX-License-Identifier: Apache-2.0
# A change cannot raise its own limit of memory: the base's holds, and the report says so.
repository
sed -i 's/^measure: {/&memory_limit: 2GiB, /' pawl.yaml
commit "Bound the memory"
quiet pawl -q run --update-baseline
commit "Record the baseline"
git checkout -q -b larger
sed -i 's/memory_limit: 2GiB/memory_limit: 8GiB/' pawl.yaml
commit "Ask for more memory"
quiet pawl -q run
head -1 perf/out/report.md
grep -o "[^.|>]*memory_limit[^|]*" perf/out/report.md
