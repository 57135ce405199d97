# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels in Python whose helper works on the inputs of the next call while the cache is flushed. Their inputs change after
# that, while the helper is held: none is measured as faster than its work, which takes 3 ms. A kernel that works while it
# loads its inputs gets them early. pawl warns, and gives it no verdict beside a base that gets them late.
repository
sed -i 's/samples: 12, processes: 6, timeout: 30s/samples: 8, processes: 1, timeout: 30s/' pawl.yaml
sed -i 's/scale_cpu: .*/cheat: {operator: scale, device: cpu, protocol: [python3, cheat.py]}/' pawl.yaml
cat >cheat.py <<'PYTHON'
import os, pathlib, sys, threading, time
import pawl_protocol

sys.setswitchinterval(1e-5)

def work(values):
    time.sleep(0.003)
    return [2 * value for value in values]

class Cheat(pawl_protocol.Kernel):
    name, operator, deterministic = "cheat", "scale", True
    known = ()

    def prepare(self, sets, shape, threads):
        known = [[one["x"], None, None] for one in sets]  # the tensor, its contents, their result
        if HELPS and len(known) > 1:
            self.known = known
            threading.Thread(target=self.help, args=(known,), daemon=True).start()

    def help(self, known):
        while self.known is known:
            for entry in known:
                contents = bytes(entry[0].buffer)
                if contents != entry[1]:
                    result = work(entry[0].values())
                    entry[1:] = [contents, result] if contents == bytes(entry[0].buffer) else [None, None]
            time.sleep(1e-4)

    def call(self, tensors, shape):
        contents = bytes(tensors["x"].buffer)
        for entry in self.known:
            if entry[0] is tensors["x"] and entry[1] == contents and entry[2]:
                return tensors["y"].write(entry[2])
        tensors["y"].write(work(tensors["x"].values()))

pawl_protocol.serve(Cheat())
PYTHON
# takes HELPS NAME
takes() {
  sed -i "/^HELPS/d; s/^class Cheat/HELPS = $1\n&/" cheat.py
  pawl -q --json bench >"$SCRATCH/bench.json" || true
  python3 - "$2" "$SCRATCH/bench.json" <<'PYTHON'
import json, sys
row = json.load(open(sys.argv[2]))["results"][0]
slow = row["outcome"] == "ok" and row["performance"]["median_ms"] >= 3
found_out = row["outcome"] == "wrong" and "it stores results" in row["reason"]  # where the helper is not in time
print(sys.argv[1] + ":", "gains nothing" if slow or found_out else (row["outcome"], row["reason"], row["performance"]["median_ms"]))
PYTHON
}
takes False "an honest kernel"
takes True "a thread"
sed -i 's/^HELPS.*/HELPS = False/' cheat.py
commit "Honest"
python3 - <<'PYTHON'
import pathlib
path = pathlib.Path("cheat.py")
body = """    def load(self, tensors):
        self.results = {**getattr(self, "results", {}), bytes(tensors["x"].buffer): work(tensors["x"].values())}

    def call(self, tensors, shape):
        tensors["y"].write(self.results[bytes(tensors["x"].buffer)])

"""
head, rest = path.read_text().split("pawl_protocol.serve", 1)
path.write_text(head + body.rstrip("\n") + "\n\npawl_protocol.serve" + rest)
PYTHON
commit "Works while it loads"
pawl -q --json bench 2>&1 | grep -o "its worker takes no late inputs" | head -1
pawl compare --paired @HEAD~ @HEAD 2>"$SCRATCH/err" | sed -n "s/.*\(INCONCLUSIVE\|BROKEN\|IMPROVEMENT\):.*/\1/p; s/.*on tiny: \(.*\), so it.*/\1/p"
git show HEAD~:./cheat.py | sed 's/name, operator, deterministic = "cheat"/name, operator, deterministic = "honest"/' >honest.py
printf 'references:\n  honest: {operator: scale, device: cpu, protocol: [python3, honest.py]}\ngate: {busy: count}\n' >>pawl.yaml
pawl -q sweep --precision 50 --blocks 7 --max-blocks 7 -o swept >"$SCRATCH/out" 2>"$SCRATCH/err"
sed -n 's/.*; \(.* failed\)$/\1/p' "$SCRATCH/out"
grep -o '"reason": "cheat: .* takes late inputs, but its own does not' swept/claims.json
