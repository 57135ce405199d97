# SPDX-License-Identifier: Apache-2.0
# Needs a quiet machine.
# The rows share what a budget leaves for their times. Each row gets a time from fewer processes, instead of the first row all
# and the others none. A row with a base keeps time for its blocks.
repository
sed -i 's/^cases:/&\n  a: {operator: scale, n: 101, dtype: f32}\n  b: {operator: scale, n: 102, dtype: f32}/; s/samples: 12/samples: 60/' pawl.yaml
sleeps 100
commit "Sleep for 100 ms"
# all processes of a row would take more than 30 s
quiet pawl -q run --update-baseline --budget 40s
for entry in 0 1 2; do field perf/baseline.json entries.$entry.case_name; done
commit "Record the baseline"
sleeps 110
quiet pawl -q run --case a --budget 25s
python3 - <<'PYTHON'
import json
row = json.load(open("perf/out/verdict.json"))["comparisons"][0]
print("blocks" if row["paired"]["blocks"] else "no blocks", "and a time" if row["current_time_ms"] else "and no time")
PYTHON
