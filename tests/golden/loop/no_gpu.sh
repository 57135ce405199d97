# SPDX-License-Identifier: Apache-2.0
# Where there is no NVIDIA driver, all else works, and what is missing is said in one line.
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
sed -i 's#^kernels:#&\n  on_gpu: {operator: scale, device: cuda, optional: true, build: {command: [cp, /bin/true, x.so], output: x.so}}#' pawl.yaml
printf '/.pawl/\n/perf/out/\n/x.so\n' >.gitignore
commit "Add a kernel for a GPU"
try pawl check
try pawl check on_gpu
try pawl --device 0,1 bench
try pawl --device all run
try pawl -q bench -o results.json >"$SCRATCH/table"
field results.json results.0.outcome
field results.json results.0.reason
field results.json results.1.outcome
rm results.json
quiet pawl -q run --update-baseline
field perf/out/verdict.json totals.new
field perf/out/verdict.json totals.unsupported
sed -i 's/optional: true, //' pawl.yaml
commit "Insist on it"
try pawl check
try pawl -q check scale_cpu
sed -i '/scale_cpu:/d' pawl.yaml
try pawl selftest
