# SPDX-License-Identifier: Apache-2.0
# A median between two samples is written without the noise of binary fractions, and byte for byte the same each time.
steady_machine
python3 - <<'PYTHON'
import json, os
results = json.load(open(os.environ["DATA"] + "/one_case.json"))
row = results["results"][0]
row["performance"] = {"median_ms": 11.3083935, "samples_ms": [11.308393, 11.308394]}
print("in binary:", (11.308393 + 11.308394) / 2)
json.dump(results, open("results.json", "w"))
PYTHON
quiet pawl -q ratchet results.json --update
grep -n "median_ms\|to_ms\|11.30" perf/baseline.json
cp perf/baseline.json first.json
rm perf/baseline.json
quiet pawl -q ratchet results.json --update
cmp perf/baseline.json first.json
