#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests once more with clang's sanitizers, where every warning of clang is an error: sanitize.sh address|thread [MESON_TEST_WORD...]
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
  address) sanitizers=address,undefined ;;
  thread) sanitizers=thread ;;
  *) echo "usage: tests/sanitize.sh address|thread [MESON_TEST_WORD...]" >&2; exit 64 ;;
esac
kind=$1
shift
build=build-$kind
if [ ! -f "$build/build.ninja" ]; then
  CC=clang meson setup "$build" --werror -Db_sanitize="$sanitizers" -Db_lundef=false --buildtype debugoptimized >/dev/null
fi

# The targets that the tests of suite `threads` run.
targets=
if [ "$kind" = thread ]; then
  targets=$(meson introspect --tests "$build" | python3 -c '
import json, os, sys
root = os.path.realpath(sys.argv[1])
words = {word for test in json.load(sys.stdin) if "pawl:threads" in test["suite"] for word in test["cmd"]}
paths = {os.path.relpath(os.path.join(root, word), root) for word in words}  # some are relative already
print(*sorted(path for path in paths if not path.startswith("../")))' "$build")
fi
# shellcheck disable=SC2086 # words
ninja -C "$build" $targets >"$build/ninja.log" 2>&1 || { cat "$build/ninja.log" >&2; exit 1; }

# Its notes of the threads' own memory are wrong after some libraries have loaded others: the search for leaks then crashes.
export LSAN_OPTIONS="suppressions=$PWD/tests/sanitize.supp:print_suppressions=0:intercept_tls_get_addr=0"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
export PAWL_TEST_SANITIZED=1
if [ "$kind" = thread ]; then
  exec meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 6 --suite threads "$@"
fi
# Tests of the suites `plugins` and `hostile` load kernels that break memory on purpose, and let a limit of addresses stop
# them, which a sanitizer cannot live with: they run in the ordinary build only.
exec meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 6 \
  --suite unit --suite fuzz --suite contract --suite golden --suite forge --no-suite hostile "$@"
