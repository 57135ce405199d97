# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Cheats that Python makes easy, in a kernel of numpy's arrays that works for 5 ms: each is wrong, or its time is the true one.
repository
cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  cheat: {operator: scale, protocol: [python3, cheat.py]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
measure: {warmup: 1, samples: 24, processes: 4, timeout: 30s}
SUITE
# cheat NAME CODE: the bench of a kernel with this code
cheat() {
  printf 'import atexit\nimport time\nimport numpy as np\nimport pawl\nimport pawl_protocol\n\ndef work(x):\n    time.sleep(0.005)\n    return 2 * x\n\nknown = {}\n\n%s\n\npawl.serve()\n' "$2" >cheat.py
  pawl -q --json bench >"$SCRATCH/bench.json" 2>/dev/null || true
  python3 - "$1" "$SCRATCH/bench.json" <<'PYTHON'
import json, re, sys
row, = json.load(open(sys.argv[2]))["results"]
time = (row["performance"] or {}).get("min_ms")
print("%s: %s%s" % (sys.argv[1], row["outcome"], "" if time is None else ", at least 5 ms" if time >= 5 else ", %g ms" % time))
print("  " + re.sub(r"-?[0-9]+(?:[.][0-9]+)?e[+-]?[0-9]+|-?[0-9]+[.][0-9e+-]+|[0-9]+(?= ms| >|, expected)|(?<=expected )[0-9]+", "N", row["reason"] or "no reason"))
PYTHON
}
def='@pawl.kernel("scale", device="cpu")'
cheat "honest" "$def
def scale(x, y):
    y[...] = work(x)"
cheat "by address" "$def
def scale(x):
    key = x.ctypes.data
    if key not in known:
        known[key] = work(x)
    return known[key]"
cheat "by the object" "$def
def scale(x):
    if id(x) not in known:
        known[id(x)] = work(x)
    return known[id(x)]"
cheat "an array that computes when it is read" "class Lazy:
    def __init__(self, x):
        self.x, self.shape = x, x.shape
    def __array__(self, *_, **__):
        return work(self.x)
$def
def scale(x):
    return Lazy(x)"
cheat "an input in place" "$def
def scale(x):
    x *= work(1)
    return x"
cheat "a hook at exit" "$def
def scale(x, y):
    atexit.register(lambda: np.copyto(y, work(x)))"
cheat "a slow clock" "true, start = time.perf_counter_ns, time.perf_counter_ns()
time.perf_counter_ns = lambda: start + (true() - start) // 100
$def
def scale(x, y):
    y[...] = work(x)"
cheat "its own timed call" "pawl_protocol.Kernel.timed_call = lambda self, tensors, shape: self.call(tensors, shape) or 1000
$def
def scale(x, y):
    y[...] = work(x)"
cheat "its own answers" "true = pawl_protocol._KernelMethods.time
def told(self, params):
    answer = true(self, params)
    answer['samples_ns'] = [1000 for _ in answer['samples_ns']]
    return answer
pawl_protocol._KernelMethods.time = told
$def
def scale(x, y):
    y[...] = work(x)"
cheat "work outside of the stamps" "true = pawl_protocol._Connection.await_inputs
pawl_protocol._Connection.await_inputs = lambda self: true(self) or known.update(y=work(known['x'])) if 'x' in known else true(self)
$def
def scale(x, y):
    y[...] = known.get('y', work(x) if not known else 0)
    known['x'] = x"
