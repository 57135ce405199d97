# SPDX-License-Identifier: Apache-2.0
# Neither version sees a file that git ignores, because only the user's tree has it. A kernel that needs one fails with the
# names of such paths. A path in `measure: {files: [...]}` is in the place of either version.
# Takes long.
repository
printf '/data/\n' >>.gitignore
mkdir data
echo 2 >data/factor.txt
sed -i 's/^#include <pawl.*/&\n#include <stdio.h>/; s/  const int64_t n = .*/&\n  int factor = 0;\n  FILE *file = fopen("data\/factor.txt", "r");\n  if (!file || fscanf(file, "%d", \&factor) != 1) return 1;\n  fclose(file);/; s/= 2 \* x/= (float)factor * x/' kernels/scale_cpu.c
commit "Read a file that git ignores"
try pawl -q check
sed -i 's/timeout: 30s/&, files: [data\/factor.txt]/' pawl.yaml
commit "Name the file"
try pawl -q check
sed -i 's/  fclose(file);/&\n  __asm__ volatile("nop");/' kernels/scale_cpu.c
commit "Change the kernel"
# The worktree of the base has no such file, and the base runs.
pawl -q run --against HEAD~ >run.txt || true
grep -c 'unpaired\|fails' run.txt || true
field perf/out/verdict.json comparisons.0.paired.anchor_kind
# Both versions use the virtual environment of the user's tree.
python3 -m venv --without-pip .venv
echo /.venv/ >>.gitignore
cat >kernels/kernel.py <<'PYTHON'
import sys
import pawl_protocol


class Kernel(pawl_protocol.Kernel):
    name, operator = "in_python", "scale"

    def call(self, tensors, shape):
        assert sys.prefix.endswith("/.venv"), sys.prefix
        tensors["y"].write([2 * x for x in tensors["x"].values()])


pawl_protocol.serve(Kernel())
PYTHON
sed -i 's/^kernels:/&\n  in_python: {operator: scale, device: cpu, protocol: [.venv\/bin\/python, kernels\/kernel.py]}/' pawl.yaml
commit "Add a program"
try pawl -q check in_python
sed -i 's/2 \* x/x + x/' kernels/kernel.py
commit "Change the program"
pawl -q run in_python --against HEAD~ >run.txt || true
grep 'unpaired\|fails' run.txt || true
field perf/out/verdict.json comparisons.0.paired.anchor_kind
