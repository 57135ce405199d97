# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Comments and layout of Python files are no code, so pawl neither measures nor checks the kernel again. Where code may read the comments, or where a tool may, pawl measures, and the report says why.
repository
cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  plain: {operator: scale, protocol: [python3, plain.py]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 2, processes: 1, timeout: 30s}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count}
SUITE
cat >plain.py <<'PYTHON'
import pawl
from parts import twice

@pawl.kernel("scale", device="cpu")
def scale(x, y):
    twice.write(x, y)

pawl.serve()
PYTHON
mkdir parts
printf 'import time\n\ndef write(x, y):\n    time.sleep(0.005)\n    y[...] = 2 * x\n' >parts/twice.py
printf '' >parts/__init__.py
commit "A program"
pawl -q run --update-baseline >/dev/null 2>&1 || true
commit "Baseline"
change() {
  git commit -qam "$1"
  echo "$1:"
  pawl -q run >/dev/null 2>&1 || true
  python3 - <<'PYTHON'
import json, re
verdict = json.load(open("perf/out/verdict.json"))
for row in verdict["comparisons"]:
    same = row["paired"] and row["paired"]["identical_code"]
    print("  %s: %s: %s" % (row["kernel_name"], row["verdict"], row["reason"] if same else "measured"))
for check in verdict["checks"]:
    print("  checked: %d passed, %d failed" % (check["passed"], check["failed"]))
for note in verdict["notices"]:
    if "pawl measures" in note:
        print("  note:", re.sub("[0-9a-f]{12}", "COMMIT", note))
PYTHON
}
sed -i '1i # This kernel multiplies.' plain.py
sed -i 's/2 \* x/(2 * x)  # twice/; s/$/\n/' parts/twice.py
change "comments and layout"
mv .pawl/checks "$SCRATCH"
sed -i '1i # Twice.' plain.py
change "a comment where no check is kept"
sed -i '1i # type: ignore' plain.py
change "a comment for tools"
sed -i 's/(2 \* x)/(x * 2)/' parts/twice.py
change "code beside comments"

echo "# the comparison alone: what pawl says of each change"
same=$PAWL_HOME/share/pawl/python/pawl_comments.py
# said BASE NOW [OTHER]: the answer of a file with these texts, beside another file
said() {
  mkdir -p base now
  printf %b "$1" >base/a.py
  printf %b "$2" >now/a.py
  printf %b "${3:-}" >now/b.py
  printf '%-44s ' "$2 ${3:-}"
  python3 -IS "$same" base now a.py -- a.py b.py | sed 's/^\.$/other code/; s/^$/same/' | grep . || echo same
}
said 'x = 1\n' '# prose\nx = (1)\n\n'
said 'x = 1\n' 'x = 2\n'
said 'x = 1\n' 'x = 1.0\n'
said 'x = 1\n' '"""text"""\nx = 1\n'
said 'x = """\n"""\n' 'x = """\n# prose\n"""\n'
said 'if x:\n  y()\nz()\n' 'if x:\n  y()\n  z()\n'
said 'x = 1\n' '# -*- coding: latin-1 -*-\nx = 1\n'
said 'x = 1\n' '#!/usr/bin/python3 -O\nx = 1\n'
said 'x = 1\n' '# /// script\nx = 1\n'
said 'def f(x):\n  pass\n' 'def f(x):\n  # type: (int) -> int\n  pass\n'
said 'def f(x):\n  # type: (int)\n  pass\ndef g(x):\n  pass\n' 'def f(x):\n  pass\ndef g(x):\n  # type: (int)\n  pass\n'
said 'x = 1\n' '# BLOCK = 128\nx = 1\n'
said 'x = 1\n' '# pythran export f()\nx = 1\n'
said 'x = open(__file__)\n' '# prose\nx = open(__file__)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'import inspect\ninspect.getsource(f)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'text = open("a.py")\n'
said 'x = 1\n' '# prose\nx = 1\n' 'text = open(sys.argv[0])\n'
said 'x = 1\n' '# prose\nx = 1\n' 'import a\ntext = open(a.__file__)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'text = open(__file__)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'f.__code__.co_firstlineno\n'
said 'x = 1\n' '# prose\nx = 1\n' 'tokenizer = 1\n'
said 'x = 1\n' '# prose\nx = 1\n' 'import numpy as np\nfrom a import x\nfrom . import a\nnp.load(x)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'import pathlib\nlen(pathlib.Path(".").read_text())\n'
said 'x = 1\n' '# prose\nx = 1\n' 'from os import path\n'
said 'x = 1\n' '# prose\nx = 1\n' 'import numpy\nnumpy.fromfile(name)\n'
said 'x = 1\n' '# prose\nx = 1\n' 'open(name)\n'
said 'def f():\n  def g():\n    x()\n    y()\n' 'def f():\n  def g():\n    x()\n  # prose\n    y()\n'
said 'def f():\n  x()\ny()\n' 'def f():\n  # prose\n  x()\n# prose\ny()\n'
said 'x = (\n' '# prose\nx = (\n'
