# SPDX-License-Identifier: Apache-2.0
# A loss is written over the baseline with its reason, which stays in the file.
steady_machine
quiet pawl ratchet "$DATA/base.json" --update
try pawl baseline accept sdpa_cpu --case training_512 --reason "exact rounding | costs 12 %" --results "$DATA/slower.json"
python3 -c '
import json
document = json.load(open("perf/baseline.json"))
print([(e["case_name"], e["reason"]) for e in document["entries"]])
print([(m["kind"], m["case_name"], m["reason"]) for m in document["moves"]])'
verdicts pawl ratchet "$DATA/slower.json"
pawl ratchet "$DATA/base.json" | grep -o "accepted because .*"
try pawl baseline accept sdpa_cpp --case training_512 --reason "x" --results "$DATA/slower.json"
try pawl baseline accept sdpa_cpu --case training_513 --reason "x" --results "$DATA/slower.json"
try pawl baseline accept sdpa_cpu --case training_512 --reason "x" --results "$DATA/wrong.json"
try pawl baseline accept sdpa_cpu --case training_512 --reason "x"
