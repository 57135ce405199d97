# SPDX-License-Identifier: Apache-2.0
# A change that refuses shapes which the base takes fails, even if it refuses none of the timed cases. A change may refuse a
# shape that its own suite no longer has only where the gate of the base lets a change accept losses.
# Takes long.
repository
sed -i 's/n: \[1, 1000\]/n: [2, 3, 4, 1000]/; s/^measure: {/&processes: 2, /; s/processes: 6, //' pawl.yaml
commit "Check more shapes"
# takes CONDITION: the kernel refuses the shapes that do not meet it
takes() {
  git checkout -q main -- kernels/scale_cpu.c
  sed -i "s/return shape->dtype == PAWL_F32 ? NULL : \"only f32\";/return $1 ? NULL : \"too small\";/" kernels/scale_cpu.c
}
# drops: what the run says of dropped shapes, and its status
drops() {
  printf '$ %s\n' "pawl run $*"
  try_status=0
  pawl run "$@" >"$SCRATCH/out" 2>"$SCRATCH/log" || try_status=$?
  sed -n '1s/^[A-Z]* *(unpaired)/&/; 1s/^MAINTAINED.*\|^INCONCLUSIVE.*\|^IMPROVEMENT.*/not dropped/; 1p; /^  *dropped /s/  *[^ ]*$//; /^  *dropped /p; /refused/p' "$SCRATCH/out"
  grep -h 'DROPPED\|^next: take' "$SCRATCH/log" || true
  echo "exit status $try_status"
}
git checkout -q -b change
takes 'shape->dims[0].value > 999'
commit "Take only large shapes"
drops
grep -h 'refuse' perf/out/report.md
field perf/out/verdict.json verdict
field perf/out/verdict.json failed
field perf/out/verdict.json totals.dropped
field perf/out/verdict.json comparisons.0.verdict
field perf/out/results.json results.0.outcome
pawl report perf/out/verdict.json -o "$SCRATCH/junit.xml"
sed -n "/dropped/p" "$SCRATCH/junit.xml"
drops --against main
drops --against none
# the change cannot remove the shapes from its own judge
sed -i 's/n: \[2, 3, 4, 1000\]/n: [1000]/' pawl.yaml
commit "Check only one shape"
drops
# the timed case, which has no baseline yet
takes 'shape->dims[0].value < 999'
commit "Refuse the timed case"
drops
# the gate of the base lets a change accept losses, and this one removes what it refuses
git checkout -q main
sed -i 's/^measure:/gate: {accept: pull-request}\nmeasure:/' pawl.yaml
commit "Let changes accept losses"
git checkout -q -b removes
takes 'shape->dims[0].value > 999'
commit "Take only large shapes"
drops
sed -i 's/n: \[2, 3, 4, 1000\]/n: [1000]/' pawl.yaml
commit "Check only one shape"
drops
# a base that is wrong on the shapes does not take them
git checkout -q main
sed -i 's/2 \* x\[i\]/(n < 999 ? 3 : 2) * x[i]/' kernels/scale_cpu.c
commit "Be wrong on small shapes"
git checkout -q -b mends
takes 'shape->dims[0].value > 999'
commit "Refuse what is wrong"
drops
