# SPDX-License-Identifier: Apache-2.0
# The guide's section on several cases, by its own commands and on its test kernel, which sleeps a third as long here. So the
# one setting and the rule are known, and the code that the guide shows must come out.
# Needs true times.
repository
python3 - <<'PYTHON'
from pathlib import Path
kernel = Path("kernels/scale_cpu.c")
loop = "for (int64_t i = 0; i < n"
text = kernel.read_text()
assert text.count(loop) == 1
sleep = "nanosleep(&(struct timespec){0, 1000000 * (MODE == 1 ? (n < 8000 ? 2 : 12) : MODE == 3 ? 5 : 8)}, NULL);\n  "
kernel.write_text("#include <time.h>\n" + text.replace(loop, sleep + loop))
suite = Path("pawl.yaml")
text = suite.read_text().replace("  scale_cpu: {operator: scale,", "  sdpa_cpu: {operator: scale,")
text = text.replace("kernels/scale_cpu.c]}", "kernels/scale_cpu.c], params: {MODE: 2}, tune: {MODE: [1, 2, 3]}}")
text = text.replace("tiny: {operator: scale, n: 1000,", "small: {operator: scale, n: 1000, dtype: f32}\n  large: {operator: scale, n: 64000,")
suite.write_text(text.replace("samples: 12, processes: 6", "samples: 3, processes: 2, cache: warm") +
                 "gate: {tolerate: 5%, detect: 20%, improve: 10%, false_alarm: 5%, miss: 10%, max_blocks: 10, busy: count}\n")
PYTHON
commit "Sleep"
pawl guide tuning | sed -n '/^## Several cases/,/^## Strategies/p' >section
# shellcheck disable=SC2016 # backticks of Markdown
sed -n '/^```c$/,/^```$/{/^```/!p}' section >shown
grep '^pawl tune' section >commands
try_guide() { # LINE: the command there, in a copy of the repository; the copies sleep side by side
  command=$(sed -n "$1p" ../commands)
  echo "\$ $command"
  sh -c "pawl -q ${command#pawl}" </dev/null >printed 2>&1 || echo "(exit status $?)"
  sed -e 's/[0-9.]* times as fast/many times as fast/g' -e 's/[0-9.]* %/some %/g' -e 's/\[[0-9., ]*\]/[limits]/g' printed
  git diff -U0 pawl.yaml | grep -o "params: {[^}]*}" | tail -1
  python3 - <<'PYTHON'
# The sleeps tell what the figures are: 8 ms becomes 5, or 2 and 5 by the rule; a sleep on a busy machine is longer.
import json
tune = json.load(open("perf/out/tune/tune.json"))
shown, found = open("../shown").read(), open("perf/out/tune/suggestions.md").read()
rule = tune["rule"]
print("cases", tune["cases"], "tried", tune["tried"], "best", tune["best"]["params"])
print("one setting as planned:", 1.3 < tune["best"]["speedup"] < 1.8)
print("rule as planned:", rule["offered"], 2.0 < rule["speedup"] < 2.9)
print("each case:", [(one["case"], one["answer"], one["harmed"]) for one in rule["cases"]])
print("the guide's code:", bool(shown) and shown in found)
PYTHON
}
for line in 1 2; do
  git clone -q . "copy-$line"
  mkdir "$SCRATCH/turns-$line" # else the second waits for its turn on the machine
  (cd "copy-$line" && export PAWL_LOCK_FOLDER="$SCRATCH/turns-$line" && try_guide $line) >"said-$line" 2>&1 &
done
wait
cat said-1 said-2
