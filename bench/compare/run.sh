#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times whole commands over made-up results files: bench/compare/run.sh [PAWL]
# Wanted: 100 configurations of 100 samples compared in under 250 ms, 1000 in under 1 s; reported alike. Fails if not.
set -eu
here=$(dirname "$(realpath "$0")")
pawl=$(realpath "${1:-$here/../../build/src/cli/pawl}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/make.py" "$folder" 100 1000
cd "$folder"
for count in 100 1000; do
  "$pawl" ratchet --baseline "baseline-$count.json" --update "base-$count.json" >/dev/null
done
exec python3 "$here/time_commands.py" "$pawl"
