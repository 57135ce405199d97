# SPDX-License-Identifier: Apache-2.0
# Needs a pawl without a sanitizer.
# Where there is no NVIDIA driver, the sanitizers of a CPU kernel still run, and what is missing is said in one line.
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
sed -i 's#^kernels:#&\n  on_gpu: {operator: scale, device: cuda, optional: true, build: {command: [cp, /bin/true, x.so], output: x.so}}#' pawl.yaml
printf '/.pawl/\n/perf/out/\n/x.so\n' >.gitignore
commit "Add a kernel for a GPU"
try pawl check --sanitize all
