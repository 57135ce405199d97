# SPDX-License-Identifier: Apache-2.0
# A loss accepted in the change that causes it: it passes where the gate of the base allows that, and only for this loss.
# Judged by the stored samples: measuring in pairs takes a quiet machine, which a test cannot ask for.
# Needs a quiet machine.
repository
sed -i "s/^measure:/gate: {between_runs: 50%, accept: pull-request}\nmeasure:/" pawl.yaml
sleeps 1
commit "Allow it"
quiet pawl -q run --against none --update-baseline
commit "Record the baseline"
git branch -q -M main
git checkout -q -b change
sleeps 20
commit "Be slow"
quiet pawl -q run --against none
quiet pawl baseline accept scale_cpu --case tiny --reason "rounds | *exactly*"
judge() {
  try_status=0
  pawl run --against none >"$SCRATCH/out" 2>"$SCRATCH/log" || try_status=$?
  sed -n 's/^\([A-Z ]*\) (unpaired).*/\1/p; /^  scale_cpu on/p; /^note: this change/p' "$SCRATCH/out"
  sed -n 's/^next: .*; if/next: if/p' "$SCRATCH/log"
  echo "exit status $try_status"
}
# not committed
judge
GIT_AUTHOR_NAME='Ann <b> | O`Hara' git commit -q -a -m "Accept it"
judge
field perf/out/verdict.json verdict
field perf/out/verdict.json comparisons.0.accepted.author
field perf/out/verdict.json comparisons.0.accepted.reason
field perf/out/verdict.json totals.accepted
sed -n '/^### Evidence/,/accepted/p' perf/out/report.md | sed 's/: [0-9].* UTC/: FIGURES/; s/`[0-9]* UTC/TIME/'
# worse again, which nobody accepted
sleeps 100
commit "Be slower still"
judge
git reset -q --hard HEAD~1
# by hand, without a move
python3 - <<'PYTHON'
import json
document = json.load(open("perf/baseline.json"))
document["moves"].pop()
json.dump(document, open("perf/baseline.json", "w"))
PYTHON
commit "Edit the file"
judge
git reset -q --hard HEAD~1
# merged as one commit: the entry names a commit that main does not have
git checkout -q main
git merge -q --squash change >/dev/null
commit "Be slow, accepted (squashed)"
git branch -q -D change
git reflog expire --expire=now --all
git gc -q --prune=now
quiet pawl -q run
head -1 perf/out/report.md
field perf/out/verdict.json comparisons.0.baseline_reason
field perf/out/verdict.json comparisons.0.paired.identical_code
# the policy of the base, not the change's
git checkout -q -b other
sed -i 's/, accept: pull-request//' pawl.yaml
commit "Forbid it"
git checkout -q main
git merge -q other
git checkout -q -b slower
sed -i 's/between_runs: 50%/between_runs: 50%, accept: pull-request/' pawl.yaml
sleeps 100
commit "Be slower"
quiet pawl -q run --against none
quiet pawl baseline accept scale_cpu --case tiny --reason "why not"
commit "Accept it"
judge
