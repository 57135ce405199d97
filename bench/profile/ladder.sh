#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles the steps of the attention kernels' ladder (ladder.txt):
#   ladder.sh make DIR       takes their sources from the history and the patches beside this script into DIR; needs git, and no GPU
#   ladder.sh profile DIR    builds and profiles them on this machine's GPU; needs nvcc, ncu and pawl, and no git. It
#                            leaves DIR/profiles/VERSION.csv and .ncu-rep. Takes about four minutes
# ladder.py then says what pawl makes of each step.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
words=${1:-}:$#
versions() { grep '^version ' "$here/ladder.txt"; }

make_sources() {
  versions | while read -r _ name commit _ definitions; do
    mkdir -p "$dir/$name"
    git -C "$here/../.." archive --format=tar "$commit" kernels/attention include | tar -xf - -C "$dir/$name"
    case $definitions in *.patch) patch --quiet -p1 -d "$dir/$name" <"$here/$definitions" ;; esac
  done
}

build() { # NAME SOURCE [-D...]
  name=$1 source=$2
  shift 2
  nvcc -shared -Xcompiler -fPIC -O3 --use_fast_math -std=c++17 -gencode=arch=compute_90a,code=sm_90a "$@" \
    -I"$dir/$name/include" -o "$dir/$name/kernel.so" "$dir/$name/kernels/attention/$source.cu" >"$dir/$name/log" 2>&1 ||
    echo "ladder: $name does not build: see $dir/$name/log" >&2
}

suite() {
  echo "version: 1"
  echo "kernels:"
  versions | while read -r _ name _; do
    echo "  $name: {operator: attention, device: cuda, build: {command: [cp, $name/kernel.so, $name/built.so], output: $name/built.so}}"
  done
  echo "cases: {training_512: {operator: attention, B: 32, H: 8, S: 512, D: 64, dtype: f16}}"
}

profile() {
  # shellcheck disable=SC2086 # the definitions are words
  versions | { while read -r _ name _ source definitions; do build "$name" "$source" ${definitions%%*.patch} & done; wait; }
  suite >"$dir/pawl.yaml"
  mkdir -p "$dir/profiles"
  cd "$dir"
  versions | while read -r _ name _; do
    pawl -q profile "$name" --case training_512 -o "out/$name" </dev/null >"profiles/$name.txt" 2>"profiles/$name.log" || {
      echo "ladder: $name has no profile: $(tail -1 "profiles/$name.log")" >&2
      continue
    }
    cp "out/$name/$name-training_512.csv" "profiles/$name.csv"
    cp "out/$name/$name-training_512.ncu-rep" "profiles/$name.ncu-rep"
  done
}

dir=${2:-}
case $words in
  make:2) mkdir -p "$dir" && dir=$(cd "$dir" && pwd) && make_sources ;;
  profile:2) dir=$(cd "$dir" && pwd) && profile ;;
  *) echo "usage: ladder.sh make|profile DIR" >&2; exit 64 ;;
esac
