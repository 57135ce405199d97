# SPDX-License-Identifier: Apache-2.0
# The report says that the base, built again, is other code than the baseline recorded: by the same compiler, by another.
# Takes long.
repository
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/2 \* x\[i\]/x[i] + x[i]/' kernels/scale_cpu.c
commit "Another way"
notes() {
  pawl -q run >/dev/null 2>&1 || true
  grep -o "the base of [^|]*" perf/out/report.md | sed 's/from [0-9a-f]* with/from COMMIT with/; s/(.*)/(COMPILER)/'
  echo "notes: $(grep -c "the base of" perf/out/report.md)"
}
notes
# replace KEY VALUE: in the baseline's entry.
replace() {
  python3 - "$@" <<'PYTHON'
import json, re, sys
path = "perf/baseline.json"
text = open(path).read()
assert f'"{sys.argv[1]}": "' in text
open(path, "w").write(re.sub(f'"{sys.argv[1]}": "[^"]*"', f'"{sys.argv[1]}": "{sys.argv[2]}"', text))
PYTHON
  commit "Replace $1"
}
replace code_hash 0123456789abcdef0123456789abcdef
notes
# Both versions are the same, but not the code that the baseline has the time of.
git checkout -q HEAD~2 -- kernels
commit "The first way again"
notes
field perf/out/verdict.json comparisons.0.paired.identical_code
replace toolchain "cc (another) 1.0"
notes
field perf/out/verdict.json comparisons.0.paired.identical_code
