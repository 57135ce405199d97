# SPDX-License-Identifier: Apache-2.0
# An update measures the same code again if the baseline's time comes from a busy machine. Without a time for a new row
# it fails and says what to do.
repository
update() {
  status=0
  pawl run --update-baseline "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  head -1 perf/out/report.md
  grep -E '^baseline:|same machine code' "$SCRATCH/out" | sed 's/  */ /g' | sed 's/code .*/code/'
  sed -n 's/^next: //p' "$SCRATCH/err"
  echo "status $status"
}
cp pawl.yaml "$SCRATCH/suite"
sed -i 's/samples: [0-9]*/samples: 1000000/' pawl.yaml
commit "Long samples"
update --budget 1s
cp "$SCRATCH/suite" pawl.yaml
commit "Short samples"
update
python3 - <<'PYTHON'
import json
baseline = json.load(open("perf/baseline.json"))
for entry in baseline["entries"]:
    entry.update(held_up=True, median_ms=9e3, samples_ms=None, ci_95_low=None, ci_95_high=None)
json.dump(baseline, open("perf/baseline.json", "w"))
PYTHON
commit "A time from a busy machine"
pawl run >"$SCRATCH/out" 2>"$SCRATCH/err"
grep -c 'same machine code' "$SCRATCH/out"
update
python3 - <<'PYTHON'
import json
baseline = json.load(open("perf/baseline.json"))
print([(entry.get("held_up"), entry["median_ms"] < 1e3) for entry in baseline["entries"]], len(baseline["moves"]))
PYTHON
commit "A better time"
update
