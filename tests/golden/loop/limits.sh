# SPDX-License-Identifier: Apache-2.0
# Rows have limits of their own. The limits of the base judge a change, which cannot relax them.
ten_benchmarks
sed -i '/^gate:/d' pawl.yaml
cat >>pawl.yaml <<'SUITE'
gate:
  busy: count
  limits:
    "*/sort*": {tolerate: 40%, detect: 60%, improve: 80%}
    "suite/two*": {inconclusive: fail}
SUITE
commit "Give rows limits"
git checkout -q -b change
sed -i 's/^sort\[20\] 104/sort[20] 125/; s/^a|b 105/a|b 126/' times.txt
sed -i 's/"\*\/sort\*": .*/"*": {tolerate: 40%, detect: 60%, improve: 80%}/; s/fail}/warn}/' pawl.yaml
commit "Be slower, and allow it"
try pawl list --gate
quiet pawl -q run
rows_of_run
grep '^- Note: the gate' perf/out/report.md
grep -o "the suite's limits for this row.*\|The gate reports a wrong change above [^ ]* %" perf/out/report.md
python3 - <<'PYTHON'
import json
for row in json.load(open("perf/out/verdict.json"))["comparisons"]:
    print(row["case"], row["verdict"], row["paired"]["policy"]["detect"], row.get("limits"))
PYTHON
try pawl verify perf/out/verdict.json
