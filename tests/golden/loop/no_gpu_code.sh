# SPDX-License-Identifier: Apache-2.0
# Without a GPU a kernel is judged by its machine code: the same code and the same check are proven, all else needs a GPU.
# Takes long.
# By hand: perf/baseline.json
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
sed 's/PAWL_CPU/PAWL_CUDA/; s/"scale_cpu"/"rows"/' kernels/scale_cpu.c >kernels/rows.c
sed -i 's/^  scale_cpu: .*/  rows: {operator: scale, device: cuda, sources: [kernels\/rows.c], flags: [-O1]}/' pawl.yaml
commit "Have a kernel for a GPU"
anchor=$(git rev-parse HEAD)
mkdir -p perf
cat >perf/baseline.json <<BASELINE
{"schema_version": 1, "moves": [], "entries": [{"kernel_name": "rows", "case_name": "tiny", "hardware": "NVIDIA H200",
 "config": {"n": 1000, "dtype": "f32"}, "median_ms": 0.05, "ci_95_low": 0.04, "ci_95_high": 0.06, "git_commit": "$anchor",
 "timestamp": "2026-11-29T10:00:00Z", "code": {"arch": "sm_90a", "registers": 40}}]}
BASELINE
commit "Record it on another machine"
run() { try pawl -q run | sed '/^[0-9.]* s: /d' | sed "s/$(printf %.12s "$anchor")/ANCHOR/; s/ with cc .*; the times/ with a compiler; the times/"; }
run
echo '/* a comment */' >>kernels/rows.c
run
field perf/out/verdict.json comparisons.0.paired.identical_code

sed -i 's/2 \* x\[i\]/2 * x[i] * x[i]/' kernels/rows.c
run
field perf/out/verdict.json verdict
field perf/out/verdict.json comparisons.0.verdict
field perf/out/verdict.json code_changes.0.line
pawl run 2>/dev/null | grep "code of"
grep -A 3 "lines whose instructions changed most" perf/out/report.md
git checkout -q .

# The same code is not proven for another operator, another tolerance or another shape of the check.
sed -i 's/1e-30/1e-31/' operators/scale.c
sed -i 's/n: \[1, 1000\]/n: [1, 1000, 2000]/' pawl.yaml
commit "Check more"
run
git checkout -q HEAD~1 -- .
commit "Check as before"
run
sed -i 's/n: 1000, dtype/n: 1001, dtype/' pawl.yaml
commit "Have another shape"
run

# The code opens a file of any name, so that the same code on another machine proves nothing.
sed -i 's/n: 1001, dtype/n: 1000, dtype/' pawl.yaml
sed -i '1i #include <stdio.h>
s/^  const float \*x = .*/&\n  FILE *file = fopen(call->tensors[0].data, "r");\n  if (file) fclose(file);/' kernels/rows.c
commit "Open a file"
opening=$(git rev-parse HEAD)
sed -i "s/$anchor/$opening/" perf/baseline.json
anchor=$opening
commit "Record it again"
run

# The base gives the expected values. The same code needs no call, unless the merge base is other code than the measured base.
git checkout -q HEAD~5 -- kernels operators
sed -i '/^static int oracle/,/^}/d; s/ *\.oracle = oracle,//' operators/scale.c
sed -i 's/scale: {n: .*/scale: {n: [1, 1000], oracle: base}/' pawl.yaml
commit "Let the base answer"
judge=$(git rev-parse HEAD)
sed -i "s/$anchor/$judge/" perf/baseline.json
anchor=$judge
commit "Record it once more"
git checkout -q -b change
echo '/* a comment */' >>kernels/rows.c
commit "A comment"
run
git checkout -q main
sed -i 's/2 \* x\[i\]/2 * x[i] * x[i]/' kernels/rows.c
commit "Other code"
git checkout -q -b back
git checkout -q "$judge" -- kernels
commit "The old code again"
run
