#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The unit, contract and fuzz-corpus tests once more under AddressSanitizer and UndefinedBehaviorSanitizer.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f build-sanitize/build.ninja ]; then
  meson setup build-sanitize -Db_sanitize=address,undefined -Db_lundef=false --buildtype debugoptimized >/dev/null
fi
ninja -C build-sanitize >build-sanitize/ninja.log 2>&1 || { cat build-sanitize/ninja.log >&2; exit 1; }
# Tests of suite `plugins` load kernels that break memory on purpose into a worker whose address space is limited, which
# a sanitizer cannot live with: they run in the ordinary build only.
LSAN_OPTIONS=suppressions=$PWD/tests/sanitize.supp:print_suppressions=0 \
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  meson test -C build-sanitize --no-rebuild --print-errorlogs --timeout-multiplier 6 --suite unit --suite fuzz
