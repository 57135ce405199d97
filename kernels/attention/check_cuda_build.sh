#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every CUDA attention kernel in its default configuration (sdpa_mma as `pawl init --example attention-cuda`
# writes it) and the GPU oracle for sm_80, sm_89 and sm_90a (the Hopper kernels for sm_90a alone) and fails on an error, a
# register spill, or a warning that wgmma instructions were serialised. Needs nvcc, no GPU. Exit status: 0 all is well, 1 a finding, 77 no
# nvcc here.
#
#     check_cuda_build.sh [FOLDER]      keeps the libraries, kernel.arch.so, in FOLDER
#
# Without FOLDER, the host's code is compiled once for each kernel, with sm_90a: it is the same for all architectures.
set -u
here=$(cd "$(dirname "$0")" && pwd)
include=${PAWL_INCLUDE:-$here/../../include}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [ ! -x "$nvcc" ]; then
  echo "no nvcc: set NVCC or add it to PATH" >&2
  exit 77
fi
template=$here/../../templates/attention-cuda/pawl.yaml
template_params=$(sed -n 's/^ *params: {\([^}]*\)}.*/\1/p' "$template" | tr -d ' ' | tr ':,' '=\n' | sed 's/^/-D/')
if [ -z "$template_params" ]; then
  echo "no params in $template" >&2
  exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
out=${1:-$scratch} keep=$#
mkdir -p "$out" || exit 1

passed=0
failed=0
name= # of a variant, behind the name of its source
check() { # source arch [-DNAME=VALUE...]
  log=$scratch/log
  source=$1 arch=$2 virtual=$(echo "$2" | sed s/sm/compute/)
  shift 2
  result="-shared -Xcompiler -fPIC"
  if [ "$keep" -eq 0 ] && [ "$arch" != sm_90a ]; then result=-cubin; fi
  # shellcheck disable=SC2086 # words; none or one word
  if ! "$nvcc" $result -O3 -std=c++17 $math -Xptxas -v \
    -gencode="arch=$virtual,code=$arch" "$@" -I"$include" -o "$out/$source$name.$arch.so" "$here/$source.cu" >"$log" 2>&1; then
    echo "FAIL $source$name $arch: does not compile"
    cat "$log"
    failed=$((failed + 1))
    return
  fi
  findings=$(grep -E 'Potential Performance Loss|warning' "$log"
    grep 'bytes spill stores' "$log" | grep -v ' 0 bytes spill stores, 0 bytes spill loads')
  registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$log" | sort -n | tail -1)
  if [ -z "$registers" ]; then findings="ptxas reported no registers"; fi
  if [ -n "$findings" ]; then
    echo "FAIL $source$name $arch:"
    echo "$findings"
    failed=$((failed + 1))
  else
    echo "ok   $source$name $arch: at most $registers registers, no spill"
    passed=$((passed + 1))
  fi
}

# as pawl builds kernels, and oracles
for arch in sm_80 sm_89 sm_90a; do
  math=
  check oracle_f64 "$arch"
  math=--use_fast_math
  check sdpa_cuda "$arch"
  # shellcheck disable=SC2086 # a word each
  check sdpa_mma "$arch" $template_params
done
check sdpa_hopper sm_90a
check sdpa_hopper_f8 sm_90a
name=_grouped
check sdpa_hopper sm_90a -DGROUPED=1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
