#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every target from its corpus: RUNS inputs (1000000) within SECONDS_EACH (60). SEED (1): the same tree gives the
# same inputs where addresses are not random, so that a fault in CI shows here too; a hunt takes another. SECONDS_ALL:
# the targets share this time, whatever the number of inputs; a release takes an hour. What crashes is left in build-fuzz/.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -f build-fuzz/build.ninja ]; then
  CC=clang meson setup build-fuzz -Dfuzz=true -Db_lundef=false --buildtype debugoptimized >/dev/null
fi
seconds=${SECONDS_EACH:-60} runs=${RUNS:-1000000}
if [ -n "${SECONDS_ALL:-}" ]; then
  set -- tests/fuzz/fuzz_*.c
  seconds=$(((SECONDS_ALL + $# - 1) / $#)) runs=-1
fi
fixed=
if setarch -R true 2>/dev/null; then fixed="setarch -R"; fi # some containers do not allow it
for source in tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  name=${target#fuzz_}
  ninja -C build-fuzz "tests/fuzz/$target" >build-fuzz/ninja.log 2>&1 || { cat build-fuzz/ninja.log >&2; exit 1; }
  mkdir -p "build-fuzz/corpus/$name"
  # shellcheck disable=SC2086 # words
  (cd build-fuzz && $fixed ./tests/fuzz/"$target" -seed="${SEED:-1}" -reload=0 -runs="$runs" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    "corpus/$name" "../tests/fuzz/corpus/$name" >"$target.log" 2>&1) ||
    { tail -40 "build-fuzz/$target.log" >&2; echo "fuzz: $target failed" >&2; exit 1; }
  echo "fuzz: $target survived $(sed -n 's/stat::number_of_executed_units: *//p' "build-fuzz/$target.log") inputs"
done
