# SPDX-License-Identifier: Apache-2.0
# Without a GPU and without a baseline the machine code is compared with that of the revision asked for, or of the merge base.
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
sed 's/PAWL_CPU/PAWL_CUDA/; s/"scale_cpu"/"rows"/' kernels/scale_cpu.c >kernels/rows.c
sed -i 's/^  scale_cpu: .*/  rows: {operator: scale, device: cuda, sources: [kernels\/rows.c], flags: [-O1]}/' pawl.yaml
commit "Have a kernel for a GPU"
anchor=$(git rev-parse HEAD)
run() { try pawl -q run "$@" | sed "s/$(printf %.12s "$anchor")/ANCHOR/"; }
echo '/* a comment */' >>kernels/rows.c
run --against HEAD
sed -i 's/2 \* x\[i\]/2 * x[i] * x[i]/' kernels/rows.c
run --against HEAD
field perf/out/verdict.json code_changes.0.line
git checkout -q -b change
commit "Change it"
run
anchor=$(git rev-parse HEAD~2)
run --against HEAD~2
git checkout -q main
run
