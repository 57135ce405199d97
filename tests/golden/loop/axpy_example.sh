# SPDX-License-Identifier: Apache-2.0
# The example of an operator written in Python, whose y is read and written: checked, timed over several rounds and
# processes from the same y, and caught when its kernel is wrong.
cp -r "$GOLDEN/../../examples/axpy/." .
echo 'measure: {samples: 12, processes: 2, warmup: 2}' >>pawl.yaml
printf '.pawl/\nperf/out/\n' >.gitignore
git init -q .
commit "Start"
try pawl -q check
quiet pawl -q run --update-baseline
field perf/baseline.json entries.0.case_name
sed -i 's/2\.0 \*/2.5 */' axpy_cpu.c
quiet pawl -q run
head -1 perf/out/report.md
