# SPDX-License-Identifier: Apache-2.0
# With `oracle: base`, nothing judges a shape that the base refuses: no such row passes or has a time. All other rows are
# judged. A run that fails leaves no report of an earlier run.
# Takes long.
repository
git checkout -q -B main
sed -i '/^static int oracle/,/^}/d; s/ *\.oracle = oracle,//' operators/scale.c
sed -i 's/^measure:.*/measure: {warmup: 1, samples: 12, processes: 6}\ngate: {busy: count, tolerate: 50%, detect: 100%, improve: 100%}/' pawl.yaml
sed -i 's/scale: {n: \[1, 1000\]}/scale: {n: [1, 1000, 2000], oracle: base}/; s/^cases:/&\n  large: {operator: scale, n: 2000, dtype: f32}/' pawl.yaml
sed -i 's/return shape->dtype == PAWL_F32 ? NULL : "only f32";/return pawl_shape_get(shape, "n") <= 1000 ? NULL : "only n <= 1000";/' kernels/scale_cpu.c
commit "Only small shapes"
pawl run --update-baseline --trust-outputs 2>/dev/null | head -1
commit "The baseline"
git checkout -q -b change
sed -i 's/return pawl_shape_get(shape, "n") <= 1000 ? NULL : "only n <= 1000";/return NULL;/; s/2 \* x\[i\]/(n > 1000 ? 7 : 2) * x[i]/' kernels/scale_cpu.c
commit "All shapes, the large ones wrong"
try pawl check
run() {
  status=0
  pawl -q run "$@" >"$SCRATCH/out" 2>/dev/null || status=$?
  grep -E '^[A-Z ]*:' "$SCRATCH/out" || true
  echo "status $status"
}
run
grep -E 'checks passed|nothing judges|expected values are' perf/out/report.md
run
echo "== a small shape is wrong too"
sed -i 's/7 : 2/7 : 3/' kernels/scale_cpu.c
commit "Wrong"
run
echo "== a run that fails"
ls perf/out
sed -i 's/^kernels:/&\n  twice_cpu: {operator: scale, sources: [kernels\/scale_cpu.c]}/' pawl.yaml
commit "A kernel without a base"
run twice_cpu
ls perf/out
