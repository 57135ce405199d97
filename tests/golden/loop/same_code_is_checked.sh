# SPDX-License-Identifier: Apache-2.0
# The same machine code is not timed again. Its check is left out only while all that the check depends on is as it was.
repository
# run ARGUMENT...: what the run says at once, its status, its verdicts, and the checks that it made.
run() {
  printf '$ pawl run%s\n' "${*:+ $*}"
  run_status=0
  pawl run "$@" >/dev/null 2>"$SCRATCH/err" || run_status=$?
  grep -E '^(WRONG|warning)' "$SCRATCH/err" || true
  python3 - perf/out/verdict.json perf/out/results.json <<'PYTHON'
import json, sys
verdict, results = (json.load(open(path)) for path in sys.argv[1:])
for row in verdict["comparisons"]: print(f'{row["kernel_name"]} on {row["case"]}: {row["verdict"]}; {row["reason"]}')
for note in verdict["notices"]:
    if "operator" in note: print("note:", note)
for check in verdict["checks"]: print(f'checked {check["kernel_name"]}: {check["passed"]} rows passed, {check["failed"]} failed')
print("timed:", ", ".join(row["kernel_name"] for row in results["results"] if row.get("performance")) or "nothing")
PYTHON
  [ "$run_status" -eq 0 ] || echo "(exit status $run_status)"
}
run --update-baseline
commit "Baseline"
run
echo "# another operator on main: the kernel is wrong now"
sed -i 's/= 2 \* pawl_load/= 3 * pawl_load/' operators/scale.c
run
commit "Another operator"
run
run --update-baseline
git revert --no-edit HEAD >/dev/null
run
echo "# a wider matrix, and other tolerances"
sed -i 's/n: \[1, 1000\]/n: [1, 77, 1000]/' pawl.yaml
commit "Wider"
run
run
sed -i 's/n: \[1, 77, 1000\]/n: [1, 77, 1000], atol: 1.0e-7/' pawl.yaml
commit "Narrower"
run
echo "# on a branch the base's operator judges; after the merge the new one does"
git checkout -q -b branch
sed -i 's/= 2 \* pawl_load/= 3 * pawl_load/' operators/scale.c
commit "Another operator"
run
git checkout -q main
git merge -q branch
run
git revert --no-edit HEAD >/dev/null
echo "# a check that somebody forged"
run
sed -i 's/"passed": \[".*"\]/"passed": ["0"]/' .pawl/checks/scale_cpu.json
run
rm -r .pawl/checks
run
