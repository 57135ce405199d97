# SPDX-License-Identifier: Apache-2.0
# A kernel that passes its check and its own timing, and is wrong in the blocks of the gate, which make more calls in a
# process: pawl says it before it times the next kernel. A base that is wrong too is no excuse.
# Takes long.
plugins="$GOLDEN/../plugins/wrong"
cp "$plugins"/*.h .
cp "$plugins/honest.c" first.c
cp "$plugins/honest.c" second.c
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  first: {operator: attention, device: cpu, sources: [first.c]}
  second: {operator: attention, device: cpu, sources: [second.c]}
cases:
  small: {operator: attention, B: 2, H: 2, S: 64, D: 16, dtype: f32}
check:
  attention: {S: 40, B: 1, H: 1, D: 16}
measure: {warmup: 2, samples: 16, processes: 16}
gate: {busy: count, tolerate: 50%, detect: 100%, improve: 100%}
SUITE
printf '.pawl\nperf/out\n' >.gitignore
git init -q -b main
commit "Right"
wrong_at_call() { # NUMBER: the first wrong call of a process
  cat >first.c <<CODE
#include "timed.h"
static int calls;
#define AFTER(launch) \\
  if (is_timed(launch) && ++calls >= $1) *(volatile unsigned char *)launch->tensors[O].data ^= 0x80
#include "attention.h"
CODE
}
judge() {
  pawl -v run --against HEAD~1 >"$SCRATCH/out" 2>"$SCRATCH/err" || echo "(exit status $?)"
  grep -E '^WRONG: |(second on small|first on small): a block took' "$SCRATCH/err" |
    sed -E 's/(block took|while pawl timed it: ).*/\1.../' | uniq
  python3 - <<'PYTHON'
import json
row = next(row for row in json.load(open("perf/out/verdict.json"))["comparisons"] if row["kernel_name"] == "first")
print("first:", row["verdict"])
PYTHON
}
wrong_at_call 15
sed -i '1i int changed(void) { return 1; }' second.c
sed -i '1i int changed(void);' second.c
commit "The first is wrong"
judge
wrong_at_call 14
sed -i 's/return 1/return 2/' second.c
commit "It is still wrong"
judge
