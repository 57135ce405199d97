# SPDX-License-Identifier: Apache-2.0
# A wrong --commit of an import is put right: the run of the wrong commit goes, and that of the right one comes.
printf 'version: 1\n' >pawl.yaml
git init -q -b main && git add -A && git commit -q -m "First"
printf '[{"name": "xclbin", "unit": "bytes", "value": 9304}]' >sizes.json
printf '[{"name": "xclbin", "unit": "bytes", "value": 9000}]' >other.json
touch -d 2023-05-03 sizes.json other.json
first=$(git rev-parse HEAD)
git commit -q --allow-empty -m "Second"
import() { try pawl import github-action-benchmark "$@"; }
runs() { pawl history export 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    run = json.loads(line)
    print(run.get("subject"), [point["value"] for point in run["points"]])'; }
import sizes.json
import other.json --commit HEAD
import sizes.json --commit HEAD~1 --replace HEAD
runs
import sizes.json --commit HEAD~1 --replace none
runs
import sizes.json other.json --commit HEAD --replace HEAD~1
runs
import sizes.json --commit HEAD --replace HEAD~1
import sizes.json --commit HEAD --replace 1111111111111111111111111111111111111111
import sizes.json --commit HEAD --replace 1111
import sizes.json --commit HEAD --replace HEAD
import sizes.json --replace HEAD
cat >data.js <<DATA
window.BENCHMARK_DATA = {"entries": {"suite": [{"commit": {"id": "$first"}, "date": 1682928000000, "tool": "julia",
  "benches": [{"name": "array", "value": 1, "unit": "ns"}]}]}}
DATA
import data.js
import data.js --commit HEAD --replace none
runs
