# SPDX-License-Identifier: Apache-2.0
# Two runs that were not side by side decide nothing of the code unless the suite says how far such runs lie apart.
quiet pawl ratchet "$DATA/base.json" --update
cp perf/baseline.json before.json
verdicts pawl ratchet "$DATA/slower.json" --update
verdicts pawl ratchet "$DATA/faster.json" --update
verdicts pawl ratchet "$DATA/noise.json" --update
cmp perf/baseline.json before.json && echo "none of them moves the baseline"
printf 'version: 1\ngate: {between_runs: 8%%}\n' >pawl.yaml
verdicts pawl ratchet "$DATA/slower.json"
verdicts pawl ratchet "$DATA/a_little_faster.json"
printf 'version: 1\ngate: {between_runs: 12%%}\n' >pawl.yaml
verdicts pawl ratchet "$DATA/slower.json"
echo "--- where the code is the same, the machine is what differs"
with_code() { # IN OUT HASH
  python3 - "$@" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
for row in document["results"]:
    row["code"] = {"hash": sys.argv[3]}
json.dump(document, open(sys.argv[2], "w"))
PYTHON
}
with_code "$DATA/base.json" base.json c0de
with_code "$DATA/slower.json" slower.json c0de
quiet pawl ratchet base.json --baseline b.json --update
verdicts pawl ratchet slower.json --baseline b.json
try pawl compare base.json slower.json
echo "--- fewer than six processes have no interval"
python3 - "$DATA/slower.json" few.json <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
for row in document["results"]:
    row["processes"] = row["processes"][:5]
json.dump(document, open(sys.argv[2], "w"))
PYTHON
try pawl compare "$DATA/base.json" few.json
