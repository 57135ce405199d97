# SPDX-License-Identifier: Apache-2.0
# A revision of the same machine code needs no timed call. A case that has another shape is new. Cases must be right on
# each branch.
# Takes long.
repository
# run ARGUMENT...: the status of the run, its verdicts, and what it timed.
run() {
  printf '$ pawl run%s\n' "${*:+ $*}"
  run_status=0
  pawl run "$@" >/dev/null 2>"$SCRATCH/err" || run_status=$?
  python3 - <<'PYTHON'
import json
verdict, results = (json.load(open(f"perf/out/{name}.json")) for name in ("verdict", "results"))
for row in verdict["comparisons"]:
    blocks = len((row.get("paired") or {}).get("blocks") or [])
    print(f'{row["kernel_name"]} on {row["case"]}: {row["verdict"]}; {row["reason"]}; {blocks} blocks')
print("timed:", ", ".join(row["config"]["case"] if "case" in row["config"] else row["kernel_name"]
                          for row in results["results"] if row.get("performance")) or "nothing")
print("moved:", ", ".join(f'{move["case"]} {move["kind"]}' for move in verdict["baseline_moves"]) or "nothing")
PYTHON
  [ "$run_status" -eq 0 ] || echo "(exit status $run_status)"
}
echo "# the same machine code, without a baseline and with one"
echo >>README.md && commit "Words"
run --against HEAD~
run --against HEAD~ --update-baseline
commit "Baseline"
run --against HEAD~2
try pawl -q run --against HEAD~2
git checkout -q -b other
sed -i 's/return 0;/return (int)(n < 0);/' kernels/scale_cpu.c
commit "Other code"
run --against HEAD
git checkout -q main
echo "# the case has another shape"
sed -i 's/n: 1000, dtype/n: 3000, dtype/' pawl.yaml
commit "Larger"
run
run
run --update-baseline
commit "Its baseline"
field perf/baseline.json entries.0.config
run
pawl baseline list | sed 's/[0-9.]* [um]s/TIME/g; s/[0-9a-f]\{12\}/COMMIT/g; s/2026[-0-9T:Z ]*/DATE /g' 
echo "# a case that is wrong on a branch"
git checkout -q -b wrong
sed -i 's/n: 3000/n: 0/' pawl.yaml
commit "No elements"
try pawl run
try pawl list
sed -i 's/n: 0, dtype/n: 3000, m: 2, dtype/' pawl.yaml
try pawl run
sed -i 's/, m: 2//; s/n: \[1, 1000\]/n: [1, -5]/' pawl.yaml
try pawl run
