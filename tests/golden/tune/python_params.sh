# SPDX-License-Identifier: Apache-2.0
# Needs a quiet machine.
# The parameters of a kernel in Python: its command gets them as NAME=VALUE, -D replaces one, a search tries others and
# writes the best. A call sleeps 20 ms with BLOCK=16 and 5 ms with BLOCK=32, and BLOCK=64 is wrong.
repository
sed -i 's/scale_cpu: .*/scale_py:\n    operator: scale\n    protocol: [python3, scale.py]\n    params: {BLOCK: 16, mode: plain}/' pawl.yaml
sed -i 's/^    params.*/&\n    tune: {BLOCK: [16, 32, 64]}/; s/samples: 12/samples: 6/' pawl.yaml
printf 'gate: {busy: count}\n' >>pawl.yaml
cat >scale.py <<'PYTHON'
import time
import pawl

@pawl.kernel("scale", device="cpu", params={"BLOCK": 8, "mode": "fancy", "fast": True}, deterministic=True)
def scale_py(x, y, BLOCK, mode, fast):
    assert mode == "plain" and fast is True
    time.sleep({16: 0.02, 32: 0.005, 64: 0.001}[BLOCK])
    y[...] = (2 if BLOCK != 64 else 3) * x

pawl.serve()
PYTHON
commit "A kernel in Python"
pawl list | grep scale_py
pawl -q check scale_py -D BLOCK=64 --row 1 | sed -n 's/.*\(elements of .y. are out of tolerance\).*/\1/p'
try pawl -q check scale_py -D BLOC=64
pawl -q tune scale_py --budget 200s --apply >"$SCRATCH/out" 2>"$SCRATCH/err"
git diff --unified=0 pawl.yaml | grep '^[-+] '
python3 - <<'PYTHON'
import json
tune = json.load(open("perf/out/tune/tune.json"))
print({row["params"]["BLOCK"]: row["outcome"] for row in tune["candidates"]}, sorted(tune["code"]))
PYTHON
# a parameter that the script does not have, and one of another type
sed -i 's/params: .*/params: {BLOCKS: 16}/; /tune:/d' pawl.yaml
pawl -q check scale_py --row 1 2>&1 | sed -n 's/.*seed 42: //p'
sed -i 's/params: .*/params: {BLOCK: wide}/' pawl.yaml
pawl -q check scale_py --row 1 2>&1 | sed -n 's/.*seed 42: //p'
