#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares kernels/attention/sdpa_cpu_fast.c with attention on OpenBLAS; prints a Markdown report.
# usage: bench/attention_cpu/run.sh [ROUNDS]      environment: CC, CFLAGS_KERNEL (-DBLOCK_M=... say), SIZES
# Needs the packages gcc, libopenblas-dev and pkg-config.
set -eu
cd "$(dirname "$0")"
rounds=${1:-31}
cc=${CC:-gcc}
sizes=${SIZES:-512 1024 2048 4096}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# shellcheck disable=SC2046 # flags are words
$cc -std=gnu11 -O3 -march=native -ffast-math -c arms.c -o "$out/arms.o" $(pkg-config --cflags openblas)
# shellcheck disable=SC2046
$cc -std=gnu11 -O2 -I../../include main.c "$out/arms.o" -o "$out/main" $(pkg-config --libs openblas) -lm -pthread -ldl
# as pawl builds a user's kernel: no -march, no -ffast-math
# shellcheck disable=SC2086
$cc -std=gnu11 -O3 -fPIC -shared -I../../include ${CFLAGS_KERNEL:-} ../../kernels/attention/sdpa_cpu_fast.c \
  -o "$out/kernel.so" -lm -pthread

echo "CPU: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo "Compiler: $($cc --version | head -n 1)"
echo "Kernel flags: -O3 ${CFLAGS_KERNEL:-(default BLOCK_M and BLOCK_N)}"
echo
echo "OpenBLAS sgemm 1024^3, one thread a core, by core type:"
echo
echo "| OPENBLAS_CORETYPE | runs as | GFLOP/s | of FMA peak |"
echo "|---|---|---|---|"
best=0
core=
for type in detected Haswell Zen SkylakeX Cooperlake SapphireRapids; do
  if [ "$type" = detected ]; then unset OPENBLAS_CORETYPE; else export OPENBLAS_CORETYPE="$type"; fi
  # a type that this CPU cannot run ends the process; a type that this OpenBLAS lacks runs as another, which it names
  line=$("$out/main" gemm 2>/dev/null) || continue
  # shellcheck disable=SC2086
  set -- $line
  echo "| $type | $1 | $2 | $3 % |"
  if [ "$(echo "$3 $best" | awk '{ print ($1 > $2) }')" = 1 ]; then # by share of the peak, which other load moves less
    best=$3
    core=$1
  fi
done
echo
echo "Best: OPENBLAS_CORETYPE=$core"
echo
# shellcheck disable=SC2086
OPENBLAS_CORETYPE=$core "$out/main" "$out/kernel.so" "$rounds" $sizes
