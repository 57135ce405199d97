# SPDX-License-Identifier: Apache-2.0
# A suite below the top of its repository, named with -f by a relative or an absolute path: the base is the baseline's
# commit in a worktree, never the working tree itself.
# Needs true times.
mkdir "a folder"
cd "a folder"
repository
sed -i 's/n: 1000, dtype/n: 20000, dtype/; s/samples: 8/samples: 4/' pawl.yaml
echo "gate: {false_alarm: 20%, miss: 20%, max_blocks: 12, busy: count}" >>pawl.yaml
cd ..
mv "a folder/.git" .
commit "Measure a larger case"
quiet pawl -q -C "a folder" run --update-baseline
commit "Record the baseline"
slower() {
  sed -i 's/int64_t i = 0; i < n; i++/int64_t j = 0; j < 10 * n; j++/; s/y\[i\] = 2 \* x\[i\]/((volatile float *)y)[j % n] = 2 * x[j % n]/' "a folder/kernels/scale_cpu.c"
}
judged() {
  quiet "$@"
  field "a folder/perf/out/verdict.json" comparisons.0.paired.identical_code
  field "a folder/perf/out/verdict.json" comparisons.0.paired.anchor_kind
}
slower
judged pawl -q -f "a folder/pawl.yaml" run
judged pawl -q -f "$PWD/a folder/pawl.yaml" run
try pawl -q -C "a folder" run --update-baseline
