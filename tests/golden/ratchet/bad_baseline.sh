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
# A branch is not a commit: it names what the change itself wrote.
entry='{"case_name": "a", "median_ms": 1, "git_commit"'
printf '{"schema_version": 1, "entries": [%s: "main"}]}' "$entry" | bad
printf '{"schema_version": 1, "entries": [%s: "HEAD"}]}' "$entry" | bad
printf '{"schema_version": 1, "entries": [%s: "abc"}]}' "$entry" | bad
printf '{"schema_version": 1, "entries": [], "moves": [{"case_name": "a", "kind": "new", "git_commit": "main"}]}' | bad
printf '{"configs": {"a": {"median_ms": 1, "git_commit": "main"}}}' | bad
sed 's/"commit": "1*"/"commit": "main"/' "$DATA/base.json" | bad
printf '<<<<<<< HEAD\n' | bad
