#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ccache 4.7.5 (Debian 12) does not know that clang reads options from CCC_OVERRIDE_OPTIONS. After a
# build with one value, a build with another value is a hit of direct mode, and so the user gets the
# object of the first options. clang alone honours the second value.
# Seen: f() returns 1, 2 by clang, but 1, 1 by ccache (one direct hit, no warning).
# A benchmark whose flags come by this variable measures the code of an earlier build. A
# CCACHE_NAMESPACE that holds the value makes the second build a miss.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq ccache=4.8+really4.7.5-1 libhiredis0.14=0.14.1-3 clang-14=1:14.0.6-12 \
  libclang-cpp14=1:14.0.6-12 libllvm14=1:14.0.6-12 libclang-common-14-dev=1:14.0.6-12 >/dev/null
for package in *.deb; do dpkg -x "$package" root; done
PATH=$work/root/usr/bin:$PATH
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu:$work/root/usr/lib/llvm-14/lib
export CCACHE_DIR=$work/cache CCACHE_CONFIGPATH=$work/none
ccache --version | head -n 1
clang-14 --version | head -n 1
echo 'int f(void) { return VALUE; }' >f.c

# Prints the number that the machine code of f() returns.
number() {
  objdump -d "$1" | sed -n 's/.*mov *[$]0x\([0-9]*\),%eax.*/\1/p'
}

for value in 1 2; do
  export CCC_OVERRIDE_OPTIONS="# +-DVALUE=$value"
  clang-14 -c f.c -o "alone$value.o"
  ccache clang-14 -c f.c -o "cached$value.o"
  CCACHE_NAMESPACE=$value ccache clang-14 -c f.c -o "named$value.o"
done
found="clang $(number alone1.o) $(number alone2.o)"
found+=", ccache $(number cached1.o) $(number cached2.o)"
found+=", ccache with a namespace $(number named1.o) $(number named2.o)"
echo "$found"
ccache --print-stats | grep -E '^(direct_cache_hit|cache_miss)'
[ "$found" = "clang 1 2, ccache 1 1, ccache with a namespace 1 2" ]
