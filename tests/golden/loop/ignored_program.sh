# SPDX-License-Identifier: Apache-2.0
# Nothing proves that a program which git ignores, or one in no full sandbox, is that of the base. pawl measures it and says why.
repository
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  own: {command: [sh, own.sh]}
  ignored: {command: [sh, ignored.sh]}
cases: {told: {}}
measure: {warmup: 0, samples: 2, processes: 1, timeout: 30s}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count}
SUITE
echo 'sleep 0.02' >own.sh
echo 'sleep 0.02' >ignored.sh
echo /ignored.sh >>.gitignore
commit "Two commands"
pawl -q run --update-baseline >/dev/null 2>&1 || true
commit "Baseline"
why() {
  pawl -q run >/dev/null 2>&1 || true
  python3 - <<'PYTHON'
import json, re
verdict = json.load(open("perf/out/verdict.json"))
for row in verdict["comparisons"]:
    print(row["kernel_name"] + ":", "the same" if row["paired"] and row["paired"]["identical_code"] else "measured")
for note in verdict["notices"]:
    if "pawl measures" in note:
        print(" ", re.sub("[0-9a-f]{12}", "COMMIT", note))
PYTHON
}
why
sed -i 's/^measure: {/&isolation: off, /' pawl.yaml
commit "No sandbox"
why
