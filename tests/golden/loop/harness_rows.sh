# SPDX-License-Identifier: Apache-2.0
# Each benchmark of a harness's file is a row: found by itself, paired by its name with the base's, all of them in the
# same runs of the command. A regression in one of ten is named; the other nine are unchanged.
ten_benchmarks
quiet pawl -q bench -o results.json
python3 -c '
import json
for row in json.load(open("results.json"))["results"]:
    print(row["case"], row["outcome"], len(row["performance"]["samples_ms"]), row["performance"]["cv"] < 0.01)'
rm results.json
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/^sort\[20\] .*/sort[20] 130/' times.txt
rm -f "$SCRATCH/runs"
quiet pawl -q run
rows_of_run
# ten rows that each ran the command would need 6 runs, and two in each of 8 blocks at least, ten times
test "$(wc -l <"$SCRATCH/runs")" -lt 100 && echo "the rows share the runs of the command"
grep -o 'sort\[20\]' perf/out/report.md | head -1
# the line "next" is a command that a shell reads right
pawl run --case 'sort[20]' 2>&1 | sed -n 's/^next: \(.* measures it again\).*/\1/p'
