# SPDX-License-Identifier: Apache-2.0
# A search goes on from its journal: what stands there is not tried again, a last line that was cut off is dropped, and the
# journal of another search is refused. A budget of no time tries nothing new. A search that has come to its end stays as
# it is: only a larger budget goes on, or a result that is not there any more.
repository
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], tune: {M: [1, 2, 3]}}|" pawl.yaml
at_once() { try pawl -q tune scale_cpu --strategy exhaustive --budget 0.001s "$@"; }
at_once
wc -l <perf/out/tune/tune.jsonl
{
  echo '{"key": "M=1", "outcome": "wrong", "reason": "off by one", "median_ms": null, "current_ms": null, "code_hash": null, "same_as": null}'
  echo '{"key": "M=2", "outcome": "ok", "reason": null, "median_ms": 2, "current_ms": 1, "code_hash": null, "same_as": null}'
  printf '{"key": "M=3", "outc'
} >>perf/out/tune/tune.jsonl
at_once --resume
wc -l <perf/out/tune/tune.jsonl
field perf/out/tune/tune.json candidates.0.reason
field perf/out/tune/tune.json candidates.1.median_ms
echo "-- it had ended"
sha256sum perf/out/tune/* .pawl/tuned/* >before
try pawl tune scale_cpu --strategy exhaustive --budget 0.001s --resume --apply
pawl -q --json tune scale_cpu --strategy exhaustive --budget 0.0005s --resume | cmp - perf/out/tune/tune.json
pawl -q tune scale_cpu --strategy exhaustive --resume | tail -1
sha256sum --quiet --check before
edit() { python3 - "$@" <<'PYTHON'
import json, pathlib, sys
path = pathlib.Path("perf/out/tune/tune.json")
document = json.loads(path.read_text())
document[sys.argv[1]] = json.loads(sys.argv[2])
path.write_text(json.dumps(document))
PYTHON
}
edit conclusion '"\u001b[31mred\n::error::no"'
pawl -q tune scale_cpu --strategy exhaustive --resume | tail -1
echo "-- the result of another search, or none"
for change in 'kernel_name "other"' 'case "big"' 'hardware "other"' 'strategy "auto"' 'seed "7"' 'candidates []' 'finished false' 'code {"flags":"0"}'; do
  edit conclusion '"of another search"'
  edit "${change% *}" "${change#* }"
  pawl -q tune scale_cpu --strategy exhaustive --budget 0.001s --resume | tail -1
done
echo "-- a larger budget, and no result"
at_once --resume --budget 0.002s
field perf/out/tune/tune.json budget_s
rm perf/out/tune/tune.json
at_once --resume
field perf/out/tune/tune.json finished
echo "-- of another search"
at_once --resume --seed 2
sed -i 's/2 \* x\[i\]/3 * x[i] - x[i]/' kernels/scale_cpu.c
at_once --resume
at_once
wc -l <perf/out/tune/tune.jsonl
