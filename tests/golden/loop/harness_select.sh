# SPDX-License-Identifier: Apache-2.0
# `select` and --case narrow the benchmarks of a harness. A change cannot narrow what it is judged on, and what the suite
# leaves out does not look unchanged.
# Takes long.
ten_benchmarks
quiet pawl -q run --update-baseline
commit "Record the baseline"
try pawl -q run --case nothing
quiet pawl -q run --case 'sort[10]'
rows_of_run
git checkout -q -b change
sed -i 's/parse: google-benchmark/&, select: ["BM_*", "sort[10]", nothing]/' pawl.yaml
commit "Select"
sed -i 's/^sort\[20\] .*/sort[20] 130/' times.txt
commit "Be slower where nobody looks"
quiet pawl -q run
rows_of_run
git checkout -q main
git merge -q --ff-only change~1
quiet pawl -q run
rows_of_run
try pawl -q bench --case 'sort[20]'
sed -i 's/select: .*]/select: [nothing]/' pawl.yaml
pawl -q bench 2>&1 | grep -o "kernel 'suite' has no benchmark.*"
