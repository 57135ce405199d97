#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The presets of the gate on simulated machines: presets.sh [TRIALS [SEED]], Markdown on stdout. Exit status 1 where a preset breaks
# its promise.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/src" -I"$root/include" -I"$here" "$here/presets.c" "$here/noises.c" "$root"/src/gate/*.c \
  "$root"/src/suite/*.c "$root"/src/yaml/*.c "$root"/src/process/cpus.c "$root"/src/process/stat.c "$root"/src/model/*.c "$root"/src/stats/*.c "$root"/src/base/*.c \
  $(pkg-config --cflags --libs jansson libxxhash libfyaml zlib) -ldl -lpthread -lm -DPAWL_VERSION='"bench"' -o "$program"
"$program" "${1:-20000}" "${2:-20261129}"
