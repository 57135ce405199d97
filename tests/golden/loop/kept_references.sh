# SPDX-License-Identifier: Apache-2.0
# The result of a reference is kept while nothing that it depends on changes, and is said to be kept.
# Takes long.
repository
mkdir packages
cat >scale.py <<'PYTHON'
import pawl_protocol


class Scale(pawl_protocol.Kernel):
    name, operator = "scale_py", "scale"

    def call(self, tensors, shape):
        tensors["y"].write([2 * x for x in tensors["x"].values()])


pawl_protocol.serve(Scale())
PYTHON
cat >>pawl.yaml <<'SUITE'
references:
  known: {operator: scale, device: cpu, protocol: [python3, scale.py]}
  built: {operator: scale, device: cpu, sources: [kernels/scale_cpu.c]}
  shell: {operator: scale, device: cpu, optional: true, protocol: [sh, -c, 'exec python3 scale.py']}
SUITE
sed -i "s|samples: 12, processes: 6, timeout: 30s|samples: 4, processes: 2|" pawl.yaml
commit "References"
export PYTHONPATH="$PWD/packages"
# references NAME...: each measured in this run, or kept from which time; the number of kept files.
references() {
  python3 - "$@" <<'PYTHON'
import json, os, sys
for row in json.load(open("perf/out/results.json"))["results"]:
    if row["kernel_name"] in sys.argv[1:]:
        environment = row["environment"]
        ratio = environment.get("canary_ratio")
        assert ratio is None or 0.9 <= ratio <= 1.1
        print(row["kernel_name"], "kept from " + environment["kept_from"] if "kept_from" in environment else "measured")
print(len(os.listdir(".pawl/references")), "files")
PYTHON
}
# The canary of a busy machine is another one: a later run finds the canary of the run before it. One in two does so.
until_kept() {
  printf '$ %s\n' "$*"
  for _ in $(seq 40); do
    "$@" >shown 2>"$SCRATCH/err"
    [ "$(grep -c "kept from" perf/out/report.md)" -ge 2 ] && break
  done
}
try sh -c 'pawl run 2>&1 >/dev/null | grep on'
for _ in $(seq 40); do # without a steady canary nothing is kept
  [ "$(find .pawl/references -type f 2>/dev/null | wc -l)" -ge 2 ] && break
  pawl -q run --references fresh >shown 2>"$SCRATCH/err"
done
references known built shell
until_kept pawl run
references known built shell
grep -c 'known.*on .tiny.: kept from .* UTC, times .* by the canary' perf/out/report.md
grep -o ', kept from .*' shown
# A time that somebody has changed in a kept result is no time.
sed -i 's/"median_ms": /&1/' .pawl/references/known-*.json
pawl run 2>&1 >/dev/null | sed -n 's/.* known on tiny/known on tiny/p' | sed 's/known-tiny-.*json/known-tiny-KEY.json/'
references known
sed -i /shell/d pawl.yaml
quiet pawl -q run --references fresh
references known
quiet pawl -q run --references none
references known
try pawl run --references old
