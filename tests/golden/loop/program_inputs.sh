# SPDX-License-Identifier: Apache-2.0
# Takes long.
# The check of a program that passed does not hold for other inputs: a file of measure.files, a variable that a module names, an editable package.
repository
mkdir "$SCRATCH/data" "$SCRATCH/packages"
cat >pawl.yaml <<SUITE
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  plain: {operator: scale, protocol: [python3, plain.py]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 2, processes: 1, timeout: 30s, files: ["$SCRATCH/data"]}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count}
SUITE
cat >plain.py <<'PYTHON'
import pawl
from factors import factor

@pawl.kernel("scale", device="cpu")
def scale(x, y):
    y[...] = factor() * x

pawl.serve()
PYTHON
cat >factors.py <<PYTHON
import os

def factor():
    with open("$SCRATCH" + "/data/" + "factor") as file:
        return float(file.read()) + float(os.environ.get("GOLDEN_ADDED", 0))
PYTHON
echo 2 >"$SCRATCH/data/factor"
commit "A program"
pawl -q run --update-baseline >/dev/null 2>&1 || true
commit "Baseline"
# judged WHAT: what a run says of the kernel, and whether it checked it
judged() {
  pawl -q run >/dev/null 2>&1 || true
  python3 - "$1" <<'PYTHON'
import json, sys
verdict = json.load(open("perf/out/verdict.json"))
checked = ["%d failed" % check["failed"] if check["failed"] else "passed" for check in verdict["checks"]]
print("%s: checked: %s, %s" % (sys.argv[1], " ".join(checked) or "no", *[row["verdict"] for row in verdict["comparisons"]]))
PYTHON
}
judged "first"
judged "nothing"
GOLDEN_ADDED=1 judged "another variable"
echo 3 >"$SCRATCH/data/factor"
judged "another file of measure.files"
echo 2 >"$SCRATCH/data/factor"
judged "a file of later times"
judged "nothing"
echo "$SCRATCH/packages" >"$SCRATCH/packages/editable.pth"
export PYTHONPATH="$SCRATCH/packages"
judged "an editable package"
judged "an editable package"
