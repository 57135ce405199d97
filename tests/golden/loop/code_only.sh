# SPDX-License-Identifier: Apache-2.0
# pawl run --code-only proves by machine code, or it leaves the change to a machine that measures. It times nothing.
# By hand: perf/baseline.json
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
cp pawl.yaml cpu.yaml
sed 's/PAWL_CPU/PAWL_CUDA/; s/"scale_cpu"/"rows"/' kernels/scale_cpu.c >kernels/rows.c
sed -i 's/^  scale_cpu: .*/  rows: {operator: scale, device: cuda, sources: [kernels\/rows.c], flags: [-O1]}/' pawl.yaml
commit "Have a kernel for a GPU"
anchor=$(git rev-parse HEAD)
git checkout -q -b unrecorded
echo '/* a comment */' >>kernels/rows.c
commit "Without a baseline"
run() { try pawl -q run --code-only "$@" | sed '/^[0-9.]* s: /d' | sed "s/$(printf %.12s "$anchor")/ANCHOR/"; }
run
git checkout -q main
mkdir -p perf
cat >perf/baseline.json <<BASELINE
{"schema_version": 1, "moves": [], "entries": [{"kernel_name": "rows", "case_name": "tiny", "hardware": "NVIDIA H200",
 "config": {"n": 1000, "dtype": "f32"}, "median_ms": 0.05, "ci_95_low": 0.04, "ci_95_high": 0.06, "git_commit": "$anchor",
 "timestamp": "2026-11-29T10:00:00Z", "code": {"arch": "sm_90a", "registers": 40}}]}
BASELINE
commit "Record it on another machine"
run
git checkout -q -b change
echo '/* a comment */' >>kernels/rows.c
commit "A comment"
run
sed -i 's/2 \* x\[i\]/2 * x[i] * x[i]/' kernels/rows.c
commit "Other code"
run
git checkout -q HEAD~1 -- kernels
cp cpu.yaml pawl.yaml
commit "A kernel of the CPU in its place"
run
git checkout -q HEAD~1 -- pawl.yaml
git rm -q kernels/rows.c
sed -i '/^  rows: /d; s/^kernels:/kernels: {}/' pawl.yaml
commit "No kernel"
run
run --update-baseline
run --against none
