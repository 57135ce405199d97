# SPDX-License-Identifier: Apache-2.0
# build, check and bench of a kernel that is right.
repository
without_time() { sed 's/built in [0-9.]* s/built in T s/'; }
pawl build | without_time
pawl build | without_time
pawl build -D _EXTRA=1 | without_time
pawl -q clean
pawl build | without_time
try pawl check
try pawl check --case tiny --seed 7
try pawl check --reduced
quiet pawl -q bench -o results.json
field results.json results.0.case
python3 -c '
import json
row = json.load(open("results.json"))["results"][0]
p = row["performance"]
print(len(p["samples_ms"]), "samples of", len(row["processes"]), "processes")
assert p["min_ms"] <= p["median_ms"] <= p["p95_ms"] <= p["p99_ms"] <= p["max_ms"]
assert p["ci_95_low"] <= p["median_ms"] <= p["ci_95_high"]'
quiet pawl -q bench --samples 4 --set n=17 -o small.json
field small.json results.0.config.n
