# SPDX-License-Identifier: Apache-2.0
# Entries are listed, renamed and removed by name; the history of moves follows a name and outlives an entry.
steady_machine
try pawl baseline list
quiet pawl ratchet "$DATA/base.json" --update
quiet pawl baseline accept sdpa_cpu --case training_512 --reason "exact rounding" --results "$DATA/slower.json"
try pawl baseline list
try pawl baseline list --json --case nothing
cp perf/baseline.json before.json
try pawl baseline rename sdpa_cpu sdpa_fast
try pawl baseline list sdpa_fast --case training_512
verdicts pawl ratchet "$DATA/base.json"
try pawl baseline rename sdpa_fast --case training_512 inference_1k
try pawl baseline rename sdpa_fast --case training_512 long_512
try pawl baseline list
python3 -c '
import json
print([(m["kind"], m["kernel_name"], m["case_name"]) for m in json.load(open("perf/baseline.json"))["moves"]])'
quiet pawl baseline rename sdpa_fast --case long_512 training_512
quiet pawl baseline rename sdpa_fast sdpa_cpu
cmp perf/baseline.json before.json && echo "renamed back, it is the same file"
try pawl baseline remove sdpa_cp
try pawl baseline remove sdpa_cpu --case nothing
try pawl baseline remove sdpa_cpu --hardware elsewhere
cmp perf/baseline.json before.json && echo "kept as it was"
try pawl baseline remove sdpa_cpu --case training_512
try pawl baseline list
python3 -c 'import json; print(len(json.load(open("perf/baseline.json"))["moves"]), "moves")'
try pawl baseline remove
try pawl baseline rename sdpa_cpu
try pawl baseline list one two
# By hand: before.json
