# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# A kernel whose own autotuner chooses in each process: the run says where the base and the change chose differently, and
# where they launched the same machine code.
repository
cat >pawl.yaml <<'SUITE'
version: 1
operators:
  scale: {sources: [operators/scale.c]}
kernels:
  tuned: {operator: scale, protocol: [python3, tuned.py]}
cases:
  tiny: {operator: scale, n: 1000, dtype: f32}
check:
  scale: {n: [1]}
measure: {warmup: 1, samples: 2, processes: 1, timeout: 30s}
gate: {tolerate: 40%, detect: 90%, improve: 90%, busy: count}
SUITE
cat >tuned.py <<'PYTHON'
import time
import pawl_protocol

class Tuned(pawl_protocol.Kernel):
    name, operator = "tuned", "scale"

    def environment(self):
        return {"autotuned": CHOICE, "machine_code": "scale: code 1", "functions": "scale<<<1>>> for %s" % CHOICE}

    def call(self, tensors, shape):
        time.sleep(0.005)
        tensors["y"].array()[...] = 2 * tensors["x"].array()

CHOICE = "scale: BLOCK: 64"
pawl_protocol.serve(Tuned())
PYTHON
commit "A kernel that chooses"
pawl -q run --update-baseline >/dev/null 2>&1 || true
commit "Baseline"
said() {
  commit "$1"
  echo "$1:"
  pawl -q run >/dev/null 2>&1 || true
  grep -oE '"(the autotuner|tuned on tiny)[^"]*"' perf/out/verdict.json | sed -E 's/[0-9a-f]{12}/COMMIT/'
}
echo 'x = 1' >>tuned.py
said "the same choice"
sed -i 's/"scale: BLOCK: 64"/"scale: BLOCK: 128"/' tuned.py
said "another choice"
sed -i 's/"scale: BLOCK: 128"/"scale: " + str(time.time_ns())/' tuned.py
said "a choice for each process"
