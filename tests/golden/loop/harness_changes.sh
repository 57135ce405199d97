# SPDX-License-Identifier: Apache-2.0
# What may become of the benchmarks of a file: they leave it, are new, fail, are skipped, are there twice. Each costs its
# own row, and no loss stays unsaid. Without a baseline a note names what left the file.
ten_benchmarks
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i '/quoted/d; s/^\.\.\/up .*/..\/up error/; s/^a|b .*/a|b skip/; s/^BM_copy\/1024 .*/&\n&/' times.txt
echo "new 300" >>times.txt
quiet pawl -q run
rows_of_run
git checkout -q times.txt
sed -i 's/^import os/raise SystemExit("no data")\n&/' suite.py
quiet pawl -q run
rows_of_run
git checkout -q suite.py
git rm -q perf/baseline.json
commit "Have no baseline"
sed -i '/quoted/d; s/^sort\[20\] .*/sort[20] 130/' times.txt
quiet pawl -q run --against HEAD
rows_of_run
git commit -qam "Slower"
quiet pawl -q compare --paired @HEAD~1 @HEAD -o compared.json
python3 -c '
import json
for row in json.load(open("compared.json"))["comparisons"]: print(row["case"], row["verdict"])'
