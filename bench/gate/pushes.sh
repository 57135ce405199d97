#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pushes of identical code through the real gate and ratchet: pushes.sh [PUSHES [SEED]], a Markdown table on stdout.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/src" -I"$root/include" "$root/bench/gate/pushes.c" "$root"/src/gate/*.c \
  "$root"/src/model/*.c "$root"/src/stats/*.c "$root"/src/base/*.c $(pkg-config --cflags --libs jansson libxxhash) \
  -ldl -lpthread -lm -DPAWL_VERSION='"bench"' -o "$program"
"$program" "${1:-300}" "${2:-20261121}"
