# SPDX-License-Identifier: Apache-2.0
# On main the anchor of the baseline says which shapes a kernel must take. On a branch the merge base says it, even if the
# change has the machine code of the anchor.
repository
sed -i 's/n: \[1, 1000\]/n: [2, 1000]/' pawl.yaml
commit "Check two shapes"
wide() { git checkout -q "$(git rev-list HEAD | tail -1)" -- kernels/scale_cpu.c; }
narrow() {
  wide
  sed -i 's/return shape->dtype == PAWL_F32 ? NULL : "only f32";/return shape->dims[0].value > 999 ? NULL : "too small";/' kernels/scale_cpu.c
}
# drops: what the run says first, and its status
drops() {
  printf '$ %s\n' "pawl run $*"
  try_status=0
  pawl run "$@" >"$SCRATCH/out" 2>"$SCRATCH/log" || try_status=$?
  head -1 "$SCRATCH/out"
  echo "exit status $try_status"
}
quiet pawl -q run --update-baseline
commit "Record the baseline"
narrow
commit "Take only large shapes"
drops
drops --update-baseline
git status --short
# the timed case alone: the baseline knows that it had a time
wide
sed -i 's/return shape->dtype == PAWL_F32 ? NULL : "only f32";/return shape ? "needs AVX-1024" : NULL;/' kernels/scale_cpu.c
commit "Take nothing"
drops --against none
field perf/out/verdict.json comparisons.0.reason
# the baseline is of the narrow kernel, main takes more, and a change goes back
git rm -q perf/baseline.json
narrow
commit "Take only large shapes, without a baseline"
quiet pawl -q run --update-baseline
commit "Record the baseline"
wide
commit "Take all shapes"
git checkout -q -b back
narrow
commit "Take only large shapes again"
drops
