# SPDX-License-Identifier: Apache-2.0
# An interpreter that a change brings runs in the sandbox alone: pawl asks it for nothing, whatever finds it. So pawl keeps no passed check of such a kernel.
# Takes long.
repository
cat >plain.py <<'PYTHON'
import pawl

@pawl.kernel("scale", device="cpu")
def scale(x, y):
    y[...] = 2 * x

pawl.serve()
PYTHON
python=$(command -v python3)
mkdir tools
cat >tools/python3 <<PROGRAM
#!/bin/sh
case \$1 in -*) echo "\$*" >>"$SCRATCH/asked" ;; esac # pawl asks by options; a kernel's own process has none
exec "$python" "\$@"
PROGRAM
chmod +x tools/python3
ln -s "$PWD/tools" "$SCRATCH/linked"
ln -s "$PWD/tools/python3" "$SCRATCH/python3"
# judge PROGRAM: two runs, whose kernel is its script; the second one would believe the first one's check.
judge() {
  cat >pawl.yaml <<SUITE
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  plain: {operator: scale, protocol: [$1, plain.py]}
references:
  known: {operator: scale, device: cpu, protocol: [$1, plain.py]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1, 1000]}
measure: {warmup: 1, samples: 2, processes: 1, timeout: 30s}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count, false_alarm: 20%, miss: 20%, max_blocks: 6}
SUITE
  commit "$2"
  for comment in one two; do
    echo "# $comment" >>plain.py
    pawl -q run --against HEAD >/dev/null 2>&1 || true
  done
  echo "$2: $(cat "$SCRATCH/asked" 2>/dev/null || echo nothing) asked of it, $(find .pawl/checks -name '*plain*' 2>/dev/null | wc -l) kept"
}
judge tools/python3 "a program of the tree"
judge "$PWD/tools/python3" "its absolute path"
judge "$SCRATCH/python3" "a link to it"
PATH="$PWD/tools:$PATH" judge python3 "a folder of PATH in the tree"
PATH="$SCRATCH/linked:$PATH" judge python3 "a link to this folder on PATH"
# PYTHONPATH names the tree: an installed interpreter takes files from there when it starts.
mkdir modules
for module in sitecustomize usercustomize; do
  cat >modules/$module.py <<PYTHON
with open("/proc/self/cmdline") as file:
    if "-c" in file.read().split("\\0"):
        with open("$SCRATCH/asked", "a") as asked:
            asked.write("$module ")
PYTHON
done
PYTHONPATH="$PWD/modules" judge python3 "an interpreter that is installed"
