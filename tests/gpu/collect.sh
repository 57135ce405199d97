#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts all that run.sh needs into one folder that travels to a GPU machine without compilers or these libraries.
# usage: collect.sh BUILD OUT [ARCH]      BUILD: a meson build folder; ARCH: sm_90 by default. Needs nvcc.
set -eu
build=$1 out=$2 arch=${3:-sm_90}
here=$(cd "$(dirname "$0")" && pwd)
ninja -C "$build" src/worker/pawl-worker tests/gpu/gpu_test >/dev/null
mkdir -p "$out/lib"
cp "$build/src/worker/pawl-worker" "$build/tests/gpu/gpu_test" "$here/run.sh" "$out/"
nvcc -O3 -gencode="arch=compute_${arch#sm_},code=$arch" -Xcompiler -fPIC -shared -I"$here/../../include" \
  -o "$out/scale_cuda.so" "$here/scale_cuda.cu"
# every library but those of libc and the driver
ldd "$out/pawl-worker" "$out/gpu_test" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*|libcuda|libnvidia-ml)\.so' | while read -r library; do
  cp -L "$library" "$out/lib/"
done
du -sh "$out"
