# SPDX-License-Identifier: Apache-2.0
# bisect: ends that are no ends, a kernel that does not change, and a budget that ends at once.
repository
git tag start
echo 1 >notes
commit "Note"
git checkout -q -b side start
echo 2 >notes
commit "Another note"
git checkout -q main
names() {
  "$@" >"$SCRATCH/all" 2>&1 && status=0 || status=$?
  sed 's/[0-9a-f]\{12\}/COMMIT/g' "$SCRATCH/all"
  echo "(exit status $status)"
}
names pawl bisect
names pawl bisect --good nowhere
names pawl bisect --good HEAD
names pawl bisect --good side
names pawl bisect --good start --of speed
names pawl bisect scale_cp --good start
names pawl bisect --good start --case tny
names pawl -q bisect --good start --of time
names pawl -q bisect --good start --of wrong
names pawl -q bisect --good start --of registers
names pawl -q bisect --good start --budget 0.000001s

# A kernel reads a file, so its code stays while its result changes. The names of benchmarks may have a slash.
cat >kernels/scale_cpu.c <<'KERNEL'
#include <stdio.h>
#include "pawl/kernel.h"
KERNEL
git show start:kernels/scale_cpu.c | sed '/include/d; s/2 \* x\[i\]/factor * x[i]/; s/^\(.*int64_t i = 0; i < n\)/  float factor = 0; char name[] = "data\/@"; name[5] = 48 + 1; FILE *file = fopen(name, "r"); if (!file || fscanf(file, "%f", \&factor) != 1) factor = 2; if (file) fclose(file);\n\1/' >>kernels/scale_cpu.c
mkdir data
echo 2 >data/1
commit "A kernel with a file"
git tag file
echo 3 >data/1
commit "Another factor"
echo 5 >notes
commit "A note"
echo 6 >notes
commit "Another"
pawl -q bisect --good file --of wrong -o answer.json >/dev/null 2>&1 || echo "status $?"
python3 - <<'PYTHON'
import json
for find in json.load(open("answer.json"))["finds"]:
    print(find["subject"], "proven" if find["proven"] else find["reason"])
PYTHON

# The culprit is on the third side of a merge.
git checkout -q -b second start
echo 1 >second
commit "Second side"
git checkout -q -b third start
sed -i 's/y\[i\] = 2/y[i] = 4/' kernels/scale_cpu.c
commit "Third side"
git checkout -q start
git merge -q -m "Three sides" second third
pawl -q bisect --good start --of wrong -o answer.json >/dev/null 2>&1 || echo "status $?"
python3 - <<'PYTHON'
import json
for find in json.load(open("answer.json"))["finds"]:
    print(find["subject"], "merged" if find["merge"] else "-", "proven" if find["proven"] else find["reason"])
PYTHON
