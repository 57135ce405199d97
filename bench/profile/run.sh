#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles the teaching kernels on this machine's GPU: run.sh OUT. Needs nvcc and ncu, and no pawl. It leaves
# OUT/teaching.ncu-rep and OUT/teaching.csv; judge.py says what pawl makes of them. Takes a minute or two.
set -eu
cd "$(dirname "$0")"
out=${1:?usage: run.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
export LC_ALL=C
nvcc -O3 -std=c++17 -arch=native -o "$out/teaching" teaching.cu
timeout 180 ncu --profile-from-start off --set full --clock-control none --force-overwrite \
  --export "$out/teaching" --log-file "$out/teaching.log" "$out/teaching" || { cat "$out/teaching.log" >&2; exit 1; }
ncu --import "$out/teaching.ncu-rep" --csv --page raw >"$out/teaching.csv"
rm "$out/teaching"
echo "$out/teaching.csv"
