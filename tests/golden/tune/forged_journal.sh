# SPDX-License-Identifier: Apache-2.0
# A journal has no seal: a kernel without a sandbox can write there that a slow or a wrong candidate is fast and right.
# Neither becomes the winner, because pawl checks and measures it anew.
# Needs true times.
repository
sleeps 5
python3 - <<'PYTHON'
from pathlib import Path
kernel = Path("kernels/scale_cpu.c")
text = kernel.read_text()
assert "5000000" in text and "2 * x[i]" in text
kernel.write_text(text.replace("5000000", "MS * 1000000").replace("2 * x[i]", "(WRONG ? 3 : 2) * x[i]"))
suite = Path("pawl.yaml")
suite.write_text(suite.read_text().replace("sources: [kernels/scale_cpu.c]}", """sources: [kernels/scale_cpu.c],
    params: {MS: 5, WRONG: 0}, tune: {MS: [1, 5, 25], WRONG: [0, 1], constraints: ["WRONG == 0 or MS == 1"]}}""") +
                 "gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}\n")
PYTHON
commit "Tune"
tune() { pawl -q tune scale_cpu --strategy exhaustive "$@" >"$SCRATCH/tune"; }
tune --budget 0.001s || echo "(exit status $?)"
forge() { # KEY OUTCOME MS
  echo "{\"key\": \"$1\", \"outcome\": \"$2\", \"reason\": null, \"median_ms\": $3, \"current_ms\": 5, \"code_hash\": null, \"same_as\": null}"
}
{
  forge MS=1,WRONG=0 wrong null
  forge MS=1,WRONG=1 ok 0.001
  forge MS=25,WRONG=0 ok 0.001
} >>perf/out/tune/tune.jsonl
tune --budget 10m --resume || echo "(exit status $?)"
field perf/out/tune/tune.json decided
python3 -c '
import json
tune = json.load(open("perf/out/tune/tune.json"))
for finalist in tune["finalists"]: print(*finalist["params"].values(), finalist["outcome"], finalist["answer"])
print(tune["best"], tune["conclusion"])'
