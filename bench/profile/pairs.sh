#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Profiles each kernel of the pairs (planted, more) with `pawl profile`: pairs.sh DIR [NAME...]. Needs pawl, nvcc and a GPU. It leaves
# DIR/profiles/NAME.csv and NAME.txt, and judge.py says what pawl makes of them. Without names it takes all kernels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: pairs.sh DIR [NAME...]}
shift
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
flags=(-O3 -std=c++17 -Xcompiler -fPIC "-gencode=arch=compute_90a,code=sm_90a")
cd "$dir"
mkdir -p built profiles
for file in teaching planted more; do [ -e "built/$file.o" ] || nvcc "${flags[@]}" -c -o "built/$file.o" "$here/$file.cu" & done
wait
# shellcheck disable=SC2046 # the names are words
[ $# -gt 0 ] || set -- $(sed -nE 's/^ *LAUNCH\((\w+),.*/\1/p' "$here/planted.cu" "$here/more.cu")
include=$(dirname "$(dirname "$(command -v pawl)")")/include
[ -d "$here/../../include/pawl" ] && include=$here/../../include
for name; do
  nvcc "${flags[@]}" "-I$include" "-DPAIR=$name" -shared -cudart shared -o "built/$name.so" "$here/pairs_kernel.cu" built/{teaching,planted,more}.o &
  [ "$(jobs -pr | wc -l)" -lt 16 ] || wait -n
done
wait
{
  echo "version: 1"
  echo "kernels:"
  for name; do echo "  $name: {operator: softmax, device: cuda, build: {command: [cp, built/$name.so, built/$name.out.so], output: built/$name.out.so}}"; done
  echo "cases:"
  echo "  all: {operator: softmax, rows: 131073, cols: 256, dtype: f32}"     # ELEMENTS and a few more
  echo "  rereads: {operator: softmax, rows: 98304, cols: 256, dtype: f32}"  # what skinny_product reads
} >pawl.yaml
for name; do
  case $name in skinny_product*) case=rereads ;; *) case=all ;; esac
  pawl -q profile "$name" --case "$case" -o "out/$name" >"profiles/$name.txt" 2>"profiles/$name.log" </dev/null &&
    cp "out/$name/$name-$case.csv" "profiles/$name.csv" || echo "pairs: $name has no profile: $(tail -1 "profiles/$name.log")" >&2
done
