#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles the pairs of kernels on this machine's GPU, a Hopper: run.sh OUT [FILE...], where the files are teaching, planted and more.
# Needs nvcc and ncu, and no pawl. It leaves OUT/pairs.ncu-rep and OUT/pairs.csv; judge.py says what pawl makes of them. Takes a minute
# or two. The facts of the machine code come only with pawl: pairs.py.
set -eu
cd "$(dirname "$0")"
out=${1:?usage: run.sh OUT [FILE...]}
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
export LC_ALL=C
nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$out/pairs" pairs.cu teaching.cu planted.cu more.cu
timeout 180 ncu --profile-from-start off --set full --clock-control none --force-overwrite \
  --export "$out/pairs" --log-file "$out/pairs.log" "$out/pairs" "$@" || { cat "$out/pairs.log" >&2; exit 1; }
ncu --import "$out/pairs.ncu-rep" --csv --page raw >"$out/pairs.csv"
rm "$out/pairs"
echo "$out/pairs.csv"
