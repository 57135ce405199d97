# SPDX-License-Identifier: Apache-2.0
# A harness that ends with a status other than 0 leaves the failed benchmark out of its file, as pytest-benchmark does.
# The other benchmarks keep their rows. The failure is the row of the benchmark that the baseline has; without one, and
# beside benchmarks that the file all has, it is the row of the command.
# Takes long.
cat >suite.py <<'PYTHON'
import json, os, sys
failed = False
rows = []
for line in open("times.txt"):
    name, time = line.split()
    if time == "fails": failed = True
    elif time == "says": rows.append({"name": name, "error": "no such file"}); failed = True
    else: rows.append({"name": name, "unit": "us", "times": [float(time) * (0.998 + os.urandom(1)[0] / 64000) for i in range(5)]})
open(sys.argv[1], "w").write(json.dumps({"benchmarks": rows}))
if failed: sys.exit("one failed")
PYTHON
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  py: {command: [python3, -I, -S, suite.py, "{out}"], parse: plain}
measure: {samples: 6, processes: 6, isolation: "off"}
gate: {busy: count}
SUITE
printf 'sort 100\ncopy 101\nscan 102\nbad 103\n' >times.txt
printf '.pawl\nperf/out\n' >.gitignore
git init -q -b main .
commit "Start"
rows() {
  python3 -c '
import json, sys
for row in json.load(open("results.json"))["results"]: print(row["case"], row["outcome"], row.get("reason") or "")'
}
run() {
  quiet pawl -q run
  rows_of_run
  sed -n 1p perf/out/report.md
}
quiet pawl -q run --update-baseline
commit "Record the baseline"

echo "# the baseline has the benchmark that fails"
sed -i 's/^bad .*/bad fails/' times.txt
run
echo "# the base fails too"
commit "Break it"
quiet pawl -q run --against HEAD
rows_of_run
echo "# one that the baseline does not have left the file: the note names it, and not the one whose row failed"
printf 'sort 100\ncopy 101\nscan 102\nbad 103\nextra 104\n' >times.txt
commit "Mend it, and add one"
printf 'sort 100\ncopy 101\nscan 102\nbad fails\n' >times.txt
quiet pawl -q run --against HEAD
rows_of_run
echo "# a new benchmark fails"
printf 'sort 100\ncopy 101\nscan 102\nbad 103\nnew fails\n' >times.txt
run
quiet pawl -q bench --case new -o results.json
rows
quiet pawl -q bench --case sort -o results.json
rows
echo "# the file says which one fails"
sed -i 's/^new .*/new says/' times.txt
quiet pawl -q bench -o results.json
rows
echo "# no benchmark is left"
printf 'sort fails\n' >times.txt
quiet pawl -q bench -o results.json
rows
