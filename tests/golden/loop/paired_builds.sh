# SPDX-License-Identifier: Apache-2.0
# A kernel that its own build command makes, and a command whose time is parsed, are judged in pairs: the anchor is built
# in a worktree, by the same commands, and the working tree is measured beside it. The changes are so large that no load
# of the machine hides them.
# Needs true times.
repository
cat >build.sh <<'SCRIPT'
set -e
mkdir -p out
cc -O2 -fPIC -shared -I"$PAWL_HOME/include" -o out/theirs.so kernels/scale_cpu.c
cc -O2 -o out/harness harness.c
SCRIPT
cat >harness.c <<'SOURCE'
#include <time.h>
int main(void) {
  const struct timespec pause = {0, 20000000};
  return nanosleep(&pause, 0);
}
SOURCE
echo out >>.gitignore
sed -i 's/n: 1000, dtype/n: 20000, dtype/; s/^measure:.*/measure: {warmup: 1, samples: 12, processes: 2, timeout: 5s}/' pawl.yaml
sed -i 's|^  scale_cpu:.*|  theirs: {operator: scale, device: cpu, build: {command: [sh, build.sh], output: out/theirs.so}}\
  harness: {build: {command: [sh, build.sh], output: out/harness}, command: [./out/harness], parse: wall}|' pawl.yaml
echo "gate: {busy: count}" >>pawl.yaml
commit "Build with a command"
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/int64_t i = 0; i < n; i++/int64_t j = 0; j < 10 * n; j++/; s/y\[i\] = 2 \* x\[i\]/((volatile float *)y)[j % n] = 2 * x[j % n]/' kernels/scale_cpu.c
sed -i 's/20000000/100000000/' harness.c
quiet pawl -q run
head -1 perf/out/report.md | grep -o '^.*slower,'
python3 - <<'PYTHON'
import json
for c in json.load(open("perf/out/verdict.json"))["comparisons"]:
    paired = c["paired"]
    slower = paired["slowdown_pct"] > 50  # a busy machine adds to both arms and makes it less than 400
    print(c["kernel_name"], c["verdict"], paired["anchor_kind"], "much slower" if slower else paired["slowdown_pct"])
PYTHON
try pawl verify perf/out/verdict.json
# A stranger's file may say something else than its rows.
for edit in '"verdict": "regression", "failed": true/"verdict": "maintained", "failed": false' '"p": [0-9.e-]*/"p": 1e-9'; do
  tr '\n' ' ' <perf/out/verdict.json | sed "s/  */ /g; s/$edit/" >forged.json
  quiet pawl -q verify forged.json
done
