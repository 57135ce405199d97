#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the table of docs/results/loop-h200.md on a GPU machine, in at most 9 minutes.
# usage: table.sh FOLDER OUT      the folder holds pawl.tar.gz (packaging/bundle), bench/ (this folder), and
# before.tar.gz where an earlier bundle is to be measured in turns with the new one
set -u
from=$(cd "$1" && pwd) out=$2
begin=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
left() { echo $((525 - $(date +%s) + begin)); }
unpack() { mkdir -p "$work/$2" && tar -xzf "$from/$1" -C "$work/$2" --strip-components=1; }
table() { # NAME HOME ROWS RUNS SECONDS [OPTIONS]
  name=$1 home=$2 rows=$3 runs=$4 most=$5
  shift 5
  [ "$(left)" -gt 30 ] || return 0
  [ "$most" -lt "$(left)" ] || most=$(left)
  echo "== $name: $rows"
  ROWS=$rows RUNS=$runs SECONDS_IN_ALL=$most timeout "$(left)" \
    python3 "$from/bench/run.py" "$home" -o "$out/$name.json" "$@" 2>&1 | tee "$out/$name.txt"
}
unpack pawl.tar.gz new
"$work/new/bin/pawl" --version | head -3
nvidia-smi --query-gpu=name,driver_version,persistence_mode --format=csv,noheader
cat /proc/loadavg
# 1: the two small rows (goals 2.5 and 3.5 s), and the time of each line
table small "$work/new" "same slower" 5 150 --clock "$out/clock.txt"
# 2: in turns with the earlier bundle, which says what the machine of today does
if [ -e "$from/before.tar.gz" ]; then
  unpack before.tar.gz before
  table small-before "$work/before" "same slower" 3 80
  table small-again "$work/new" "same slower" 3 80
fi
# 3: tune (goal 40 a minute), with all configurations built before, and with none
table tune "$work/new" "tune tune-cold" 1 150
# 4: the example: first run (goal 40 s), the next (goal 20 s)
table example "$work/new" "first next" 3 200
# 5: ten configurations (goal 15 s), as far as there is time
table ten "$work/new" ten 3 60
echo "took $(($(date +%s) - begin)) s"
cat /proc/loadavg
