# SPDX-License-Identifier: Apache-2.0
# Edits that nobody committed stay in the history, and are marked; latest, best and trend are those of commits. A series
# that has nothing else shows them, and says so.
printf 'version: 1\n' >pawl.yaml
python3 - >runs.ndjson <<'PYTHON'
import json
for i, (dirty, value) in enumerate([(False, 2), (True, 4), (True, 1), (False, 2.1), (True, 3)]):
    points = [{"kernel_name": "scale_cpu", "case": "tiny", "unit": "ms", "value": value, "verdict": "regression" if value > 3 else "maintained"}]
    if dirty:
        points.append({"kernel_name": "trial", "case": "tiny", "unit": "ms", "value": value})
    print(json.dumps({"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": 1600000000 + 86400 * i, "commit": f"{i // 2 + 0xc0de00:08x}",
                      "subject": f"Innocent change {i // 2}", "dirty": dirty, "points": points, "baseline_moves": []}))
PYTHON
quiet pawl history import runs.ndjson
try pawl history
try pawl history scale_cpu
