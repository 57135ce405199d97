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
measure: {warmup: 1, samples: 12, processes: 6, timeout: 30s}
SUITE
  commit "Start"
}

# sleeps MS: the kernel of `repository` sleeps so long in each call, which takes no CPU and is what no load hides.
sleeps() {
  sed -i '/nanosleep/d; /include <time.h>/d' kernels/scale_cpu.c
  sed -i "1i #include <time.h>
/int64_t i = 0; i < n/i \  nanosleep(&(struct timespec){$(($1 / 1000)), $(($1 % 1000 * 1000000))}, NULL);" kernels/scale_cpu.c
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

# ten_benchmarks: a harness in this folder, suite.py, which writes a file of Google Benchmark with the names and times (in
# ns, within 0.2 %) of times.txt; "error" and "skip" stand for a time. Each run adds a line to $SCRATCH/runs.
ten_benchmarks() {
  cat >suite.py <<'PYTHON'
import os, sys
def quoted(text): return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
rows = []
for line in open("times.txt", encoding="utf-8"):
    name, time = line.rstrip("\n").rsplit(" ", 1)
    head = '{"name": %s, "run_name": %s, ' % (quoted(name), quoted(name))
    for i in range(5):
        if time == "error": said = '"error_occurred": true, "error_message": "no such file"'
        elif time == "skip": said = '"skipped": true, "skip_message": "needs AVX-512"'
        else: said = '"real_time": %r' % (float(time) * (0.998 + 0.004 * int.from_bytes(os.urandom(2), "big") / 65536))
        rows.append(head + '"run_type": "iteration", "repetition_index": %d, "time_unit": "ns", %s}' % (i, said))
    rows.append(head + '"run_type": "aggregate", "aggregate_name": "mean", "time_unit": "ns", "real_time": 9e9}')
open(os.environ["SCRATCH"] + "/runs", "a").write("run\n")
open(sys.argv[1], "w", encoding="utf-8").write('{"context": {}, "benchmarks": [' + ", ".join(rows) + "]}")
PYTHON
  cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  suite: {command: [python3, -I, -S, suite.py, "{out}"], parse: google-benchmark}
measure: {samples: 6, processes: 6, isolation: "off"}
gate: {busy: count}
SUITE
  cat >times.txt <<'TIMES'
BM_copy/1024 100
BM_copy/4096 101
BM_sum<float>/8/real_time 102
sort[10] 103
sort[20] 104
a|b 105
"quoted" 106
../up 107
two words 108
ä 109
TIMES
  printf '.pawl\nperf/out\n' >.gitignore
  git init -q -b main .
  commit "Start"
}

# rows_of_run: the verdict on each row of perf/out, and the notes on benchmarks.
rows_of_run() {
  python3 - perf/out/verdict.json <<'PYTHON'
import json, re, sys
verdict = json.load(open(sys.argv[1]))
for row in verdict["comparisons"]:
    print(f'{row["case"]:26} {row["verdict"]}{", in pairs" if row.get("paired") else ": " + row["reason"]}')
for note in verdict["notices"]:
    if "benchmark" in note or "select" in note: print("note:", re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", note))
PYTHON
}
