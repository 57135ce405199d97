# SPDX-License-Identifier: Apache-2.0
# A baseline's life: new, kept, improved, regressed; the file moves only when asked, and only for the better.
steady_machine
unmoved() { cmp perf/baseline.json first.json && echo "kept as it was"; }
verdicts pawl ratchet "$DATA/base.json"
ls
verdicts pawl ratchet "$DATA/base.json" --update
cp perf/baseline.json first.json
verdicts pawl ratchet "$DATA/noise.json" --update
unmoved
verdicts pawl ratchet "$DATA/slower.json" --update
unmoved
verdicts pawl ratchet "$DATA/mixed.json"
unmoved
verdicts pawl ratchet "$DATA/faster.json" --update
python3 -c '
import json
document = json.load(open("perf/baseline.json"))
for entry in document["entries"]:
    print(entry["kernel_name"], entry["case_name"], entry["hardware"], round(entry["median_ms"], 6), entry["git_commit"][:8])
for move in document["moves"]:
    print(move["kind"], move["case_name"], move["from_ms"] and round(move["from_ms"], 6), round(move["to_ms"], 6))'
cp perf/baseline.json second.json
quiet pawl -q ratchet "$DATA/faster.json" --update
cmp perf/baseline.json second.json && echo "the same again moves nothing"
verdicts pawl ratchet "$DATA/base.json" -o report.md
head -1 report.md
