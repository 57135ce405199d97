# SPDX-License-Identifier: Apache-2.0
# With 'control: fdr', rows are changes together that no row proves alone. The document replays so.
# The slower rows alone are shown: with 8 blocks, an unchanged row that seems to drift stays inconclusive.
ten_benchmarks
sed -i 's/^gate:.*/gate: {busy: count, control: fdr, false_alarm: 5%, max_blocks: 8}/' pawl.yaml
commit "Control false discoveries"
git checkout -q -b change
slower() {
  git checkout -q main -- times.txt
  for name in "$@"; do sed -i "s/^$name .*/$name 130/" times.txt; done
  git commit -q -a -m "Be slower"
  quiet pawl -q run
  rows_of_run | grep 'two words'
}
slower 'two words'
slower 'sort\[20\]' 'a|b' 'two words'
grep -o 'Of the changes above.*comparisons' perf/out/report.md
python3 - <<'PYTHON'
import json
for row in json.load(open("perf/out/verdict.json"))["comparisons"]:
    policy = row["paired"]["policy"]
    if row["case"] in ("sort[20]", "a|b", "two words"): print(row["case"], row["verdict"], row["reason"], round(row["paired"]["e_value"]), policy["comparisons"], policy["discovery"])
PYTHON
quiet pawl verify perf/out/verdict.json
cp perf/out/verdict.json whole.json
quiet pawl report perf/out -o page.html
# One of the three less, and the two others prove nothing.
python3 - <<'PYTHON'
import json
run = json.load(open("whole.json"))
run["comparisons"] = [row for row in run["comparisons"] if row["case"] != "two words"]
json.dump(run, open("less.json", "w"))
PYTHON
pawl verify less.json | grep differs
quiet pawl report less.json
# A saved case has one row, which is judged alone.
quiet pawl report whole.json --save-case case.json --case 'a|b' --expected regression
field case.json verdict
try pawl verify case.json
