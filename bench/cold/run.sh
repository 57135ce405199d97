#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ways to make caches cold take, and what they do (ways.c), on this machine: for 5/4 of the last-level cache, as the
# system reports it, and for ten times as much, with data of half a MiB and of eight.
set -eu
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cc -O2 -std=gnu17 -Isrc bench/cold/ways.c src/base/cache_evict.c -o "$folder/ways"
lscpu | grep -E "Model name|^L[23]" || true
cache=$(sed 's/K$//' /sys/devices/system/cpu/cpu0/cache/index3/size)
for flushed in $((cache * 1024 * 5 / 4)) $((cache * 1024 * 10)); do
  for data in 524288 8388608; do "$folder/ways" "$flushed" "$data"; done
done
