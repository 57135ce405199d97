#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# False discoveries and power with 1000 rows: discovery.sh [RUNS [SEED]], Markdown on stdout. Exit status 1 where a bound is exceeded.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/src" -I"$root/include" "$root/bench/gate/discovery.c" "$root"/src/gate/*.c \
  "$root"/src/model/*.c "$root"/src/stats/*.c "$root"/src/base/*.c $(pkg-config --cflags --libs jansson libxxhash zlib) \
  -ldl -lpthread -lm -DPAWL_VERSION='"bench"' -o "$program"
"$program" "${1:-200}" "${2:-20261129}"
