# SPDX-License-Identifier: Apache-2.0
# A candidate that hangs ends soon, a parameter without effect is not timed, a wrong candidate that is faster does not
# win, a slow candidate is not checked. Ctrl-C keeps what is known.
# Needs true times.
repository
python3 - <<'PYTHON'
from pathlib import Path
kernel = Path("kernels/scale_cpu.c")
loop = "for (int64_t i = 0; i < n; i++)"
text = kernel.read_text()
assert loop in text
slow = f"""volatile float sum = 0;
#if MODE == 2
  for (;;) sum = sum + 1;
#endif
  for (int pass = 1; pass < PASSES; pass++) {loop} sum = sum + x[i];
  """
kernel.write_text(text.replace(loop, slow + loop).replace("2 * x[i]", "2 * x[i] + (MODE == 1 ? 0.5f : 0.0f)"))
suite = Path("pawl.yaml")
text = suite.read_text().replace("sources: [kernels/scale_cpu.c]}", """sources: [kernels/scale_cpu.c],
    params: {PASSES: 6, MODE: 0, UNUSED: 0},
    tune: {PASSES: [1, 6, 30], MODE: [0, 1, 2], UNUSED: [0, 1],
           constraints: ["MODE == 0 or PASSES == 1", "UNUSED == 0 or MODE == 0"]}}""")
suite.write_text(text.replace("tiny: {operator: scale, n: 1000,", "tiny: {operator: scale, n: 40000,") +
                 "gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}\n")
PYTHON
sed -i "s/measure: {/measure: {cache: warm, /; s/timeout: 30s/timeout: 2s/" pawl.yaml
commit "Tune"
pawl -q tune scale_cpu --case tiny --strategy exhaustive --budget 60s | sed -e 's/is [0-9.]* times as fast/is many times as fast/' -e 's/ \[.*\]//'
python3 -c '
import json
tune = json.load(open("perf/out/tune/tune.json"))
for c in sorted(tune["candidates"], key=lambda c: list(c["params"].values())):
    print(*c["params"].values(), c["outcome"], "checked" if c["checked"] else "not checked", "same as", c["same_as"])
assert tune["seconds"] < 50, tune["seconds"]
assert tune["best"]["params"]["PASSES"] == "1" and tune["best"]["params"]["MODE"] == "0", tune["best"]'
tail -1 perf/out/tune/tune.jsonl | grep -o '"finished":true'
echo "-- a budget of a second"
python3 -c '
import subprocess, time
begin = time.monotonic()
done = subprocess.run(["pawl", "-q", "tune", "scale_cpu", "--case", "tiny", "--budget", "1s"], stdout=subprocess.DEVNULL)
assert time.monotonic() - begin < 10, time.monotonic() - begin
print(done.returncode in (0, 2))'
echo "-- Ctrl-C"
rm -r perf/out/tune
python3 - <<'PYTHON'
import json, pathlib, signal, subprocess, time
journal = pathlib.Path("perf/out/tune/tune.jsonl")
search = subprocess.Popen(["pawl", "-q", "tune", "scale_cpu", "--case", "tiny", "--budget", "5m", "--strategy", "random"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while not journal.exists() or journal.read_text().count("\n") < 3:
    time.sleep(0.02)
search.send_signal(signal.SIGINT)
out, err = search.communicate()
print(err, search.returncode == -signal.SIGINT, "no decision: stopped after" in out)
print(json.loads(pathlib.Path("perf/out/tune/tune.json").read_text())["decided"])
PYTHON
before=$(wc -l <perf/out/tune/tune.jsonl)
pawl -q tune scale_cpu --case tiny --budget 5m --strategy random --resume | tail -1 | grep -c "PASSES=1,MODE=0"
head -"$before" perf/out/tune/tune.jsonl | tail -1 | grep -c key
echo "-- an interrupted journal stays"
sed -i '/finished/d' perf/out/tune/tune.jsonl
pawl tune scale_cpu --case tiny --budget 0.001s 2>&1 | grep "interrupted"
ls perf/out/tune
