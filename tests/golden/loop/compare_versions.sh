# SPDX-License-Identifier: Apache-2.0
# compare --paired: two kernels, sources or revisions, measured in pairs and judged by the gate, without a baseline.
# Needs true times.
repository
sed -i 's/n: 1000, dtype/n: 20000, dtype/; s/^measure:/gate: {busy: count}\nmeasure:/' pawl.yaml
sed -i 's/\(  scale_cpu:.*\)/\1\n  slow: {operator: scale, device: cpu, sources: [kernels\/slow.c]}/' pawl.yaml
sed 's/int64_t i = 0; i < n; i++/int64_t j = 0; j < 10 * n; j++/; s/y\[i\] = 2 \* x\[i\]/((volatile float *)y)[j % n] = 2 * x[j % n]/' kernels/scale_cpu.c >kernels/slow.c
cp kernels/slow.c other.c
commit "Have two kernels"
judge() {
  try pawl -q compare "$@" | sed 's/, [0-9.]* % \(slower\|faster\) \[.*/, \1 [limits]/'
}
judge --paired scale_cpu slow
judge --paired slow scale_cpu
judge --paired scale_cpu scale_cpu:other.c -o verdict.json
quiet pawl verify verdict.json
quiet pawl report verdict.json -o report.md
grep -o 'tiny.*: regression' report.md | tr -d '\140' | sed 's/.*tiny/tiny/'
try pawl -q compare --paired @HEAD @HEAD
sed -i 's/y\[i\] = 2/y[i] = 3/' kernels/scale_cpu.c
try pawl -q compare --paired @HEAD scale_cpu
judge --paired scale_cpu@HEAD slow@HEAD --case tiny --budget 0.001
# these are no versions
try pawl compare --paired scale_cpu
try pawl compare --paired scale_cpu nothing
try pawl compare --paired scale_cpu scale_cpu:nothing.c
quiet pawl compare --paired @nowhere scale_cpu
try pawl compare --paired :x scale_cpu
try pawl compare --paired @HEAD~1 slow | sed 's#worktrees/[0-9a-f]*#worktrees/COMMIT#'
try pawl compare --paired scale_cpu slow --case tny
try pawl compare --paired scale_cpu slow --threshold -3
try pawl compare "$DATA/base.json" "$DATA/slower.json" --case tiny
