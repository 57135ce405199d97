# SPDX-License-Identifier: Apache-2.0
# Every run and every measurement is in the history, with its commit; parts of a run are not.
repository
quiet pawl -q bench --samples 6
quiet pawl -q run --against none --update-baseline
commit "Record <the> baseline"
quiet pawl -q run --against none --shard 1/2 -o one
quiet pawl -q run --against none --shard 2/2 -o two
quiet pawl -q merge one two -o both
try pawl import run both
try pawl import run both/verdict.json
rm -r one two both
printf '#ifdef N\n#endif\n' >>kernels/scale_cpu.c
quiet pawl -q bench --samples 6 -D N=1
pawl history export -o out.ndjson
python3 - <<'PYTHON'
import json
for line in open("out.ndjson"):
    run = json.loads(line)
    for point in run["points"]:
        print(run["source"], run["branch"], run["subject"], "dirty" if run["dirty"] else "clean", point["kernel_name"], point["case"],
              point["shape"], point["verdict"], "a time" if point["value"] > 0 else None,
              len(point["result"]["performance"]["samples_ms"]), "environment" if point["result"]["environment"] else None)
    for move in run["baseline_moves"]:
        print("moved", move["kernel_name"], move["kind"])
PYTHON
printf 'retention: {sample_days: 1}\n' >>pawl.yaml
SOURCE_DATE_EPOCH=1900000000 pawl bench --samples 6 2>&1 >/dev/null | grep -a "the samples of"
printf 'store: none\n' >>pawl.yaml
before=$(cksum <.pawl/history.db)
quiet pawl -q bench --samples 6
[ "$before" = "$(cksum <.pawl/history.db)" ] && echo "nothing was added"
mkdir blocked
sed -i 's/^store: .*/store: sqlite:blocked/' pawl.yaml
pawl bench --samples 6 2>&1 >/dev/null | grep -a history
find .pawl/waiting -name '*.ndjson' | wc -l
# the next run that the history takes brings the run that waits
sed -i 's/^store: .*/store: sqlite:.pawl\/later.db/' pawl.yaml
pawl bench --samples 6 2>&1 >/dev/null | grep -a history
find .pawl/waiting -name '*.ndjson' | wc -l
pawl history export 2>/dev/null | wc -l
