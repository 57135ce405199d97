# SPDX-License-Identifier: Apache-2.0
# A budget ends a run whatever one call takes: the check, the timing, the references, the operators and the builds end with
# it. Rows that are decided stay, and pawl says of each other row that it is not measured. Without the budget, each of these
# runs would take more than the 60 s that end it here.
# Takes long.
repository
sed -i 's/n: \[1, 1000\]/n: [1, 10, 20, 30, 40, 1000]/; s/^cases:/&\n  other: {operator: scale, n: 77, dtype: f32}/' pawl.yaml
commit "Check more shapes"
# binds COMMAND...: the verdict, the rows that are not measured, and the status
binds() {
  printf '$ %s\n' "$*"
  try_status=0
  timeout 60 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || try_status=$?
  sed -n '1p; /not measured/p' "$SCRATCH/out" | sed 's/ended after [0-9]* of [0-9]* checks/ended/; s/fails .* checks/fails SOME checks/'
  sed 's/^/! /' "$SCRATCH/err" | grep -v 'pawl keeps\|WRONG\|^! next\|^! the report' || true
  echo "exit status $try_status"
}
# each call takes 10 s: the check ends
sleeps 10000
binds pawl run --budget 5s
# a row that is wrong is decided, although most rows are left out
sed -i 's/2 \* x\[i\]/3 * x[i]/' kernels/scale_cpu.c
binds pawl run --budget 25s
# the operator takes 10 s for the expected values
git checkout -q kernels
sed -i '1i #include <unistd.h>' operators/scale.c
sed -i '/^static .*oracle(/,/{/s/{$/{ sleep(10);/' operators/scale.c
commit "Have a slow operator"
binds pawl run --budget 5s
git revert --no-edit HEAD >/dev/null
# a build takes 100 s, and so does a run of a command
sed -i 's/^kernels:/&\n  builds: {operator: scale, build: {command: [sleep, "100"], output: none.so}}\n  runs: {command: [sleep, "100"]}/' pawl.yaml
commit "Have slow builds"
binds pawl run builds runs --budget 5s
# a reference takes 10 s for a call, and so does the code of the base
git revert --no-edit HEAD >/dev/null
cp kernels/scale_cpu.c kernels/slow.c
sed -i '1i #include <unistd.h>
/int64_t i = 0; i < n/i \  sleep(10);' kernels/slow.c
sed -i 's/^cases:/references:\n  slow: {operator: scale, device: cpu, sources: [kernels\/slow.c]}\n&/' pawl.yaml
timeout 60 pawl -q run --budget 5s >/dev/null 2>&1 || [ $? -ne 124 ]
