#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How often the interval of `pawl bench` holds the true median: coverage.sh [TRIALS [SEED]], Markdown tables on stdout.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/src" -I"$root/include" "$root/bench/stats/coverage.c" \
  "$root"/src/stats/*.c "$root/src/base/memory.c" "$root/src/base/error.c" "$root/src/base/text.c" -lm -o "$program"
"$program" "${1:-4000}" "${2:-20261122}"
