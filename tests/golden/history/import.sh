# SPDX-License-Identifier: Apache-2.0
# Other harnesses' files in the same history; hostile names; what is refused leaves nothing behind.
printf 'version: 1\n' >pawl.yaml
git init -q -b main && git add -A && git commit -q -m "Start"
cat >data.js <<'DATA'
window.BENCHMARK_DATA = {
  "entries": {
    "<script>alert(1)</script>": [
      {"commit": {"id": "1111111111111111111111111111111111111111", "message": "First\n\nbody", "timestamp": "2023-05-01T10:00:00+02:00"},
       "date": 1682928000000, "tool": "julia", "benches": [{"name": "array/copy", "value": 1500000, "unit": "ns", "range": "± 3"}]},
      {"commit": {"id": "2222222222222222222222222222222222222222", "message": "\u202eSecond \u001b[31m'quoted'", "timestamp": "2023-05-02T10:00:00+02:00"},
       "date": 1683014400000, "tool": "julia", "benches": [{"name": "array/copy", "value": 1200000, "unit": "ns"}]}
    ]
  }
}
DATA
try pawl import github-action-benchmark data.js
try git status --short  # git leaves the history out
try pawl import github-action-benchmark data.js
try pawl history array/copy
echo '{"results": [{"command": "sort big", "times": [0.2, 0.3, 0.25]}]}' >hyperfine.json
touch -d 2023-05-03 hyperfine.json
try pawl import hyperfine hyperfine.json --commit HEAD --branch main
pawl history export | tail -1 | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(run["source"], run["subject"], run["branch"], run["time"], run["points"][0]["value"], run["points"][0]["result"]["performance"]["samples_ms"])'
try pawl import results "$DATA/base.json"
try pawl history
{ printf '{"results": [{"command": "a", "mean": 1},\n{"command": "'; head -c 5000 /dev/zero | tr '\0' x; printf '", "mean": 1}]}'; } >long.json
try pawl import hyperfine long.json
printf '{"results": [{"command": "a\\u0000b", "mean": 1}]}' >nul.json
try pawl import hyperfine nul.json
printf '{"results": [\n{"command": "a", "mean": 1},\n{"command": "a", "mean": 1e999}]}' >inf.json
try pawl import hyperfine inf.json
try pawl import hyperfin nul.json
try pawl import whatever nul.json
try pawl import hyperfine .
try pawl import hyperfine missing.json
try pawl import hyperfine
pawl --json history --case - | python3 -c 'import json, sys; print([s["kernel_name"][:12] for s in json.load(sys.stdin)["series"]])'
