#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts all that run.sh needs into one folder that travels to a GPU machine without compilers or these libraries.
# usage: collect.sh BUILD OUT [ARCH]      BUILD: a meson build folder; ARCH: sm_90 by default. Needs nvcc.
set -eu
build=$1 out=$2 arch=${3:-sm_90}
here=$(cd "$(dirname "$0")" && pwd)
ninja -C "$build" src/host/pawl-worker tests/gpu/gpu_test tests/gpu/oracle_test tests/gpu/blocks_test kernels/attention.so \
  tests/plugins/kept/kept_operator.so >/dev/null
mkdir -p "$out/lib"
cp "$build/src/host/pawl-worker" "$build/tests/gpu/gpu_test" "$build/tests/gpu/oracle_test" "$build/tests/gpu/blocks_test" "$build/kernels/attention.so" "$build/tests/plugins/kept/kept_operator.so" \
  "$here/run.sh" "$out/"
nvcc -O3 -gencode="arch=compute_${arch#sm_},code=$arch" -Xcompiler -fPIC -shared -I"$here/../../include" \
  -o "$out/scale_cuda.so" "$here/scale_cuda.cu"
nvcc -O3 -gencode="arch=compute_${arch#sm_},code=$arch" -Xcompiler -fPIC -shared -I"$here/../../include" \
  -o "$out/kept_cuda.so" "$here/../plugins/gpu/kept_cuda.cu"
nvcc -O3 -gencode="arch=compute_${arch#sm_},code=$arch" -Xcompiler -fPIC -shared -I"$here/../../include" \
  -o "$out/oracle_f64.so" "$here/../../kernels/attention/oracle_f64.cu"
# every library but those of libc and the driver
ldd "$out/pawl-worker" "$out/gpu_test" "$out/oracle_test" "$out/blocks_test" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*|libcuda|libnvidia-ml)\.so' | while read -r library; do
  cp -L "$library" "$out/lib/"
done
# the operator's own oracle opens it
for library in $(ldconfig -p | awk '/libopenblas\.so\.0/ {print $NF; exit}'); do
  cp -L "$library" "$out/lib/libopenblas.so.0"
  ldd "$library" | sed -n 's/.* => \(.*libgfortran[^ ]*\|.*libquadmath[^ ]*\) .*/\1/p' | xargs -r -I{} cp -L {} "$out/lib/"
done
du -sh "$out"
