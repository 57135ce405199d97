#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as strict C11 and C++17; every inner header compiles alone.
set -eu
root=$1
for header in "$root"/include/pawl/*.h; do
  for standard in "gcc -x c -std=c11" "g++ -x c++ -std=c++17"; do
    $standard -Wall -Wextra -pedantic -Werror -Wno-unused-function -I"$root/include" -fsyntax-only "$header"
  done
done
libraries=$(pkg-config --cflags cairo jansson libfyaml libcurl)
find "$root/src" -name '*.h' | while read -r header; do
  # shellcheck disable=SC2086
  gcc -x c -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -I"$root/src" -I"$root/include" $libraries \
    -fsyntax-only -include "$header" /dev/null || { echo "$header does not compile alone"; exit 1; }
done
