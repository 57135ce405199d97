# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# A kernel in Python and a command are the same code if no file of the repository has changed, and pawl does not measure
# them. A program may read any file: by a link, by an argument, as the source of what a build makes. So each change is measured.
repository
cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  plain: {operator: scale, protocol: [python3, plain.py], params: {FACTOR: 2}}
  reads: {operator: scale, protocol: [python3, reads.py]}
  told: {command: [sh, told.sh], parse: plain}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 2, processes: 1, timeout: 30s}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count}
SUITE
cat >plain.py <<'PYTHON'
import pawl
from parts import twice

@pawl.kernel("scale", device="cpu", params={"FACTOR": 2})
def scale(x, y, FACTOR):
    twice.write(x, y, FACTOR)

pawl.serve()
PYTHON
mkdir parts data
printf 'import time\n\ndef write(x, y, factor):\n    time.sleep(0.005)\n    y[...] = factor * x\n' >parts/twice.py
printf '' >parts/__init__.py
cat >reads.py <<'PYTHON'
import time
import pawl

@pawl.kernel("scale", device="cpu")
def scale(x, y):
    time.sleep(0.005)
    y[...] = float(open("data/factor").read()) * x

pawl.serve()
PYTHON
echo 2 >data/factor
echo 'echo "{\"benchmarks\": [{\"name\": \"a\", \"unit\": \"us\", \"time\": 1}]}"' >told.sh
commit "Three programs"
pawl -q run --update-baseline >/dev/null 2>&1 || true
commit "Baseline"
# change WHAT: which kernels of the last commit are the same code, and why others are measured
change() {
  git add -A
  git commit -q --allow-empty -m "$1"
  echo "$1:"
  pawl -q run >/dev/null 2>&1 || true
  python3 - <<'PYTHON'
import json, re
verdict = json.load(open("perf/out/verdict.json"))
for row in verdict["comparisons"]:
    same = row["paired"] and row["paired"]["identical_code"]
    print("  %s: %s" % (row["kernel_name"], row["reason"] if same else "measured"))
print("  checked:", ", ".join(check["kernel_name"] for check in verdict["checks"]) or "nothing")
for note in verdict["notices"]:
    if "pawl measures" in note:
        print("  note:", re.sub("[0-9a-f]{12}", "COMMIT", note))
PYTHON
}
change "nothing"
echo 3 >data/other
change "a new file"
sed -i 's/FACTOR: 2}/FACTOR: 02}/' pawl.yaml
echo '# a comment' >>told.sh
change "an argument and a script"
