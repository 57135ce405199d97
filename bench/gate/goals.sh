#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rules of the verdict against their goals, the ratchet's pushes, the interval of a run and held-up calls: goals.sh [TRIALS [PUSHES
# [SEED]]], Markdown on stdout. Exit status 1 where a goal is missed. A few minutes of one CPU.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT

build() {
  name=$1
  shift
  ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/src" -I"$root/include" -I"$here" "$here/$name.c" "$@" \
    "$root"/src/stats/*.c "$root"/src/base/memory.c "$root"/src/base/error.c "$root"/src/base/text.c -lm \
    -o "$programs/$name"
}

build goals "$here/noises.c" "$here/places.c"
build coverage
build held_up "$root/src/gate/between_runs.c" "$root/src/gate/two_sample.c"
status=0
"$programs/goals" "${1:-20000}" "${3:-20261122}" || status=$?
echo "## Pushes of identical code through the ratchet"
echo
pushes=$("$here/pushes.sh" "${2:-500}" "${3:-20261122}")
echo "$pushes"
if echo "$pushes" | awk -F'|' 'NR > 2 && $7 != 0 { found = 1 } END { exit !found }'; then
  echo "**missed**: identical code moved the baseline"
  status=1
fi
echo
"$programs/coverage" "${1:-20000}" "${3:-20261122}" || status=$?
"$programs/held_up" "${1:-20000}" "${3:-20261122}" || status=$?
exit $status
