# SPDX-License-Identifier: Apache-2.0
# What is missing, renamed, broken or of another machine is said, and is never an improvement.
steady_machine
quiet pawl ratchet "$DATA/base.json" --update
cp perf/baseline.json first.json
for results in one_case wrong crashed build_failed new_kernel other_hardware; do
  verdicts pawl ratchet "$DATA/$results.json"
done
echo "--- renamed"
sed 's/"training_512"/"training_half_k"/' "$DATA/base.json" >renamed.json
verdicts pawl ratchet renamed.json
echo "--- another shape by the same name"
sed 's/"S": 512/"S": 768/' "$DATA/base.json" >shape.json
verdicts pawl ratchet shape.json
cmp perf/baseline.json first.json
echo "--- update with a broken row: the other moves"
quiet pawl -q ratchet "$DATA/wrong.json" --update
python3 -c '
import json
for name in "first.json", "perf/baseline.json":
    print([(e["case_name"], round(e["median_ms"], 6)) for e in json.load(open(name))["entries"]])'
