# SPDX-License-Identifier: Apache-2.0
# Takes long.
# An operator without an oracle: the base's outputs, or those of the base's reference, are the expected values. A change
# cannot bring its own answers.
repository
git checkout -q -B main
# The operator loses its oracle, and its check gets another.
sed -i '/^static int oracle/,/^}/d; s/ *\.oracle = oracle,//' operators/scale.c
sed -i 's/^measure:.*/measure: {warmup: 1, samples: 12, processes: 6}\ngate: {busy: count, tolerate: 50%, detect: 100%, improve: 100%}/' pawl.yaml
commit "No oracle"
try pawl check 2>&1 | sed 's/suite .*/suite/'
sed -i 's/scale: {n: \[1, 1000\]}/scale: {n: [1, 1000], oracle: base, atol: 0, rtol: 0, rel_rms: 0}/' pawl.yaml
commit "The base answers"
run() {
  status=0
  pawl run "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  grep -E '^pawl: |nothing judges|nothing but|fails|out of tolerance' "$SCRATCH/err" | sed 's/[0-9a-f]\{12\}/COMMIT/; s/ is [-0-9.]*, expected .*//'
  [ ! -s "$SCRATCH/out" ] || head -1 "$SCRATCH/out"
  echo "status $status"
}
echo "== without an entry in the baseline nothing judges, and the last commit does not either"
try pawl check 2>&1
run --update-baseline
try pawl check --trust-outputs
run --update-baseline --trust-outputs
commit "The baseline"
sed -i 's/2 \* x\[i\]/5 * x[i]/' kernels/scale_cpu.c
git rm -q perf/baseline.json
commit "Wrong, and no baseline"
touch note
commit "Unrelated"
run --update-baseline
echo "== the good commit of a bisection answers"
pawl -q bisect scale_cpu --good HEAD^^ --of wrong 2>&1 | sed 's/[0-9a-f]\{12,40\}/COMMIT/g; s/ is [-0-9.]*, expected .*//'
git reset -q --hard HEAD^^
git checkout -q -b change
echo "== the same bits"
sed -i 's/2 \* x\[i\]/x[i] + x[i]/' kernels/scale_cpu.c
try pawl check
commit "Other code"
run
echo "== other bits"
sed -i 's/x\[i\] + x\[i\]/2.000001f * x[i]/' kernels/scale_cpu.c
commit "Wrong"
run
git reset -q --hard HEAD^
echo "== a kernel that the base does not have"
sed 's/scale_cpu/twice_cpu/' kernels/scale_cpu.c >kernels/twice_cpu.c
sed -i 's/^kernels:/&\n  twice_cpu: {operator: scale, sources: [kernels\/twice_cpu.c]}/' pawl.yaml
commit "A new kernel"
run
git checkout -q main
echo "== a checkout without main"
git clone -q --depth 1 -b change "file://$PWD" "$SCRATCH/shallow"
cd "$SCRATCH/shallow"
git remote set-head origin -d 2>/dev/null || true
sed -i 's/x\[i\] + x\[i\]/5 * x[i]/' kernels/scale_cpu.c
commit "Wrong"
run
try pawl check scale_cpu
GITHUB_BASE_REF=main run
cd - >/dev/null
echo "== the reference answers"
cp kernels/scale_cpu.c kernels/plain.c
sed -i 's/"scale_cpu"/"plain"/' kernels/plain.c
sed -i 's/^cases:/references:\n  plain: {operator: scale, sources: [kernels\/plain.c]}\n&/; s/oracle: base/oracle: reference plain/' pawl.yaml
commit "A reference"
try pawl check
git checkout -q -b both
sed -i 's/2 \* x/3 * x/' kernels/scale_cpu.c kernels/plain.c
commit "The reference and the kernel are wrong"
try pawl check
run
grep -c "the reference of the base is the oracle" perf/out/report.md
