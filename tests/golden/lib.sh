# SPDX-License-Identifier: Apache-2.0
# What the scripts of the golden tests share; sourced before each.

# Runs a command and shows it: "$ command", its output, its errors with "! " before each line, its status unless it is 0.
try() {
  printf '$ %s\n' "$*"
  try_status=0
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || try_status=$?
  cat "$SCRATCH/out"
  sed 's/^/! /' "$SCRATCH/err"
  [ "$try_status" -eq 0 ] || echo "(exit status $try_status)"
}

# The same without the output: errors and status only.
quiet() {
  printf '$ %s\n' "$*"
  try_status=0
  "$@" >/dev/null 2>"$SCRATCH/err" || try_status=$?
  sed 's/^/! /' "$SCRATCH/err"
  [ "$try_status" -eq 0 ] || echo "(exit status $try_status)"
}

commit() {
  git add -A
  git commit -q -m "$1"
}

# A suite that knows its machine: two runs of the same code lie less than 1 % apart, so that unpaired changes are called.
steady_machine() {
  printf 'version: 1\ngate: {between_runs: 1%%}\n' >pawl.yaml
}

# The minimal example in this folder, committed, with shapes so small that a run takes a second.
repository() {
  pawl -q init --example minimal .
  cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  scale_cpu: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 12, processes: 6, timeout: 2s}
SUITE
  commit "Start"
}

# field FILE KEY.KEY...: one value of a JSON document, as JSON; fails where the document is not valid.
field() {
  python3 - "$@" <<'PYTHON'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(f"{sys.argv[2]}: {json.dumps(value)}")
PYTHON
}

# valid_json COMMAND...: shows the top-level keys of the JSON document on its standard output.
valid_json() {
  printf '$ %s\n' "$*"
  try_status=0
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || try_status=$?
  python3 - "$SCRATCH/out" <<'PYTHON'
import json, sys
print("keys:", " ".join(json.load(open(sys.argv[1]))))
PYTHON
  [ "$try_status" -eq 0 ] || echo "(exit status $try_status)"
}

# verdicts COMMAND...: of the report on its standard output the first line, the notes and the table of verdicts.
verdicts() {
  printf '$ %s\n' "$*"
  try_status=0
  "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || try_status=$?
  sed -n '1p; /^- Note/p; /^| verdict/,/^$/p; /^### Baseline moved/,$p' "$SCRATCH/out"
  sed 's/^/! /' "$SCRATCH/err"
  [ "$try_status" -eq 0 ] || echo "(exit status $try_status)"
}
