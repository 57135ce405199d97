# SPDX-License-Identifier: Apache-2.0
# Files that code under test reads when it runs: the machine code stays the same, and a correct kernel becomes wrong. Both arms,
# committed and not, on a .pawl that is there.
# Takes long.
# shellcheck source=/dev/null
. "$GOLDEN/loop/stale.inc"
reads() { # reads FILE SOURCE: `factor()` of the source is a number in the file
  cat >"$SCRATCH/read.c" <<CODE
#include <stdio.h>
static float factor(void) {
  float value = 0;
  FILE *file = fopen("$1", "r");
  if (file && fscanf(file, "%f", &value) != 1) value = 0;
  if (file) fclose(file);
  return value;
}
CODE
  cat "$SCRATCH/read.c" "$2" >"$SCRATCH/whole.c"
  mv "$SCRATCH/whole.c" "$2"
}
arms() { # arms CHANGE: the base passed its check in a run, and the change is committed
  "$1" 2
  commit "Right"
  pawl -q run >/dev/null
  "$1" 3
  commit "Wrong"
  quiet pawl -q run --against HEAD~1
}
begin "a file that the kernel reads"
factor 'factor()'
reads kernels/factor.txt kernels/scale_cpu.c
data() { echo "$1" >kernels/factor.txt; }
wrong data bench tune run
arms data
begin "a library that the kernel opens by name"
factor 'factor()'
sed -i '1i #include <dlfcn.h>\nstatic float factor(void) { return ((float (*)(void))dlsym(dlopen("kernels/factor.so", RTLD_NOW), "value"))(); }' kernels/scale_cpu.c
opened() { echo "float value(void) { return $1; }" | gcc -x c -shared -fPIC - -o kernels/factor.so; }
wrong opened run
arms opened
for name in tile@128 BM=128; do
  begin "a file with a sign in its name: $name"
  factor 'factor()'
  reads "kernels/$name.cubin" kernels/scale_cpu.c
  signed() { echo "$1" >"kernels/$name.cubin"; }
  arms signed
done
begin "a name that the kernel puts together"
factor 'factor()'
reads kernels/tile_128.cubin kernels/scale_cpu.c
sed -i 's|float value = 0;|float value = 0; char name[64]; snprintf(name, sizeof name, "kernels/tile_%d.cubin", 128);|
s|fopen("[^"]*"|fopen(name|' kernels/scale_cpu.c
together() { echo "$1" >kernels/tile_128.cubin; }
wrong together run
arms together
begin "a name in the instructions"
factor 'factor()'
reads t.b kernels/scale_cpu.c
sed -i 's|float value = 0;|float value = 0; char name[] = "t.b";|; s|fopen("[^"]*"|fopen(name|' kernels/scale_cpu.c
inlined() { echo "$1" >t.b; }
arms inlined
begin "a file that the operator reads"
sed -i 's/= 2 \*/= factor() */' operators/scale.c
reads operators/factor.txt operators/scale.c
number() { echo "$1" >operators/factor.txt; }
wrong number bench tune
number 2
commit "Right"
pawl -q run >/dev/null
number 3
pawl run --against HEAD 2>&1 | grep -E "^note: the operator|^MAINTAINED"
commit "The operator of a merged change judges"
quiet pawl -q run
begin "a module of an operator in Python"
cat >operators/scale.py <<'PYTHON'
import pawl_protocol
from rules.scale import factor

class Scale(pawl_protocol.Operator):
    name, summary = "scale", "y = factor x"
    params = [{"name": "n", "min": 1, "max": 1 << 24, "default": None, "help": "elements"}]
    tolerances = [{"dtype": "f32", "atol": 1e-6, "rtol": 1e-6, "rel_rms": 1e-6}]

    def tensors(self, shape):
        return [{"name": n, "role": r, "dtype": shape["dtype"], "size": [shape["n"]]} for n, r in (("x", "in"), ("y", "out"))]

    def flop(self, shape):
        return shape["n"]

    def oracle(self, tensors, shape, expected):
        expected["y"].write(factor() * x for x in tensors["x"].values())

pawl_protocol.serve(Scale())
PYTHON
mkdir operators/rules
cat >operators/rules/scale.py <<'PYTHON'
import json
def factor():
    return json.load(open("operators/factor.json"))["factor"]
PYTHON
sed -i 's|scale: {sources: .*}|scale: {protocol: [python3, operators/scale.py]}|' pawl.yaml
module() { echo "{\"factor\": $1}" >operators/factor.json; }
wrong module bench
begin "a variable of the kernel, and a file outside of the tree"
sed -i '1i #include <stdlib.h>' kernels/scale_cpu.c
factor '(float)atof(getenv("SCALE_FACTOR"))'
echo 2 >"$SCRATCH/factor"
cat >operators/read.h <<CODE
#include <stdio.h>
static double read_factor(void) {
  double value = 0;
  FILE *file = fopen("$SCRATCH/factor", "r");
  if (file && fscanf(file, "%lf", &value) != 1) value = 9;
  if (file) fclose(file);
  return value;
}
CODE
sed -i '1i #include "read.h"
s/= 2 \* pawl/= read_factor() * pawl/' operators/scale.c
sed -i "s|^measure: {|&files: [$SCRATCH/factor], |" pawl.yaml
commit "Read them"
export SCALE_FACTOR=2
run
SCALE_FACTOR=3 run
echo 3 >"$SCRATCH/factor"
check
run
