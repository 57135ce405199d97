# SPDX-License-Identifier: Apache-2.0
# A baseline file that cannot be right is refused and left alone.
# By hand: perf/baseline.json
mkdir perf
bad() {
  cat >perf/baseline.json
  cp perf/baseline.json before
  quiet pawl ratchet "$DATA/base.json" --update
  cmp perf/baseline.json before
}
printf '{"schema_version": 1, "entries": [' | bad
printf '{"schema_version": 1, "entries": [{"case_name": "a", "median_ms": -1}]}' | bad
printf '{"schema_version": 1, "entries": [{"case_name": "a"}]}' | bad
printf '{"schema_version": 9, "entries": []}' | bad
printf '{"schema_version": 1, "entries": [], "moves": 3}' | bad
printf '<<<<<<< HEAD\n' | bad
