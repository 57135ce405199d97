#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Latency of pawl serve --webhook: bench/webhook/run.sh [PAWL] [load.py's options]
# Wanted: the 99th percentile within 50 ms at 200 hooks a second, each on the disk before it is answered. Fails if not.
set -eu
here=$(dirname "$(realpath "$0")")
pawl=$(realpath "${1:-$here/../../build/src/cli/pawl}")
[ $# -gt 0 ] && shift
folder=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
cat >"$folder/pawl-wake.yaml" <<'YAML'
version: 1
listen: 127.0.0.1:0
repositories: [octo/app]
state: state
poll: 0
rate: 100000
machines:
  gpu: {labels: [self-hosted, gpu], start: ["true"]}
YAML
: >"$folder/log"
export PAWL_WEBHOOK_SECRET=a-secret-for-the-bench-alone
"$pawl" serve --webhook --config "$folder/pawl-wake.yaml" 2>"$folder/log" &
server=$!
port=
for _ in 1 2 3 4 5 6 7 8 9 10; do
  port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\).*/\1/p' "$folder/log")
  [ -n "$port" ] && break
  sleep 0.2
done
[ -n "$port" ] || { cat "$folder/log" >&2; exit 1; }
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1
echo "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg), $(stat -f -c %T "$folder"), Linux $(uname -r)"
python3 "$here/load.py" "$port" "$@"
