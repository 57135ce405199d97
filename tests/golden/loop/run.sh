# SPDX-License-Identifier: Apache-2.0
# The whole loop on a kernel that is right: a baseline, then a run that is judged by it.
repository
quiet pawl -q run --update-baseline
ls perf perf/out
git status --short --untracked-files=all
head -1 perf/out/report.md
field perf/out/results.json results.0.outcome
field perf/out/results.json results.0.correctness.passed
field perf/out/results.json dirty
field perf/baseline.json entries.0.kernel_name
commit "Record the baseline"
quiet pawl -q run
head -1 perf/out/report.md
git status --short --untracked-files=all
# the baseline moved before: the run's picture has its line, and the report shows the picture
python3 - <<'PYTHON'
import json
baseline = json.load(open("perf/baseline.json"))
move = baseline["moves"][0]
other = move | {"kernel_name": "another", "reason": "of no row"}
baseline["moves"] = [move | {"to_ms": 2 * move["to_ms"], "timestamp": "2020-01-02 03:04:05"}, other, move | {"kind": "improvement", "from_ms": 2 * move["to_ms"]}]
json.dump(baseline, open("perf/baseline.json", "w"), indent=2)
PYTHON
commit "Moves of another year"
quiet pawl -q run
python3 -c 'import json; print([move["kind"] for move in json.load(open("perf/out/verdict.json"))["earlier_moves"]])'
grep '^!' perf/out/report.md
head -c 4 perf/out/roofline.png | tail -c 3
echo
