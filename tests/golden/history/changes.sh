# SPDX-License-Identifier: Apache-2.0
# A commit that made the kernel slower for good is named; outliers and noise are not.
printf 'version: 1\n' >pawl.yaml
python3 - >runs.ndjson <<'PYTHON'
import json, math
for i in range(60):
    wave = math.sin(i * 12.9898) * 43758.5453
    noise = wave - math.floor(wave) - 0.5  # the same on every machine
    points = [{"kernel_name": "scale_cpu", "case": "tiny", "unit": "ms", "value": (2 if i < 40 else 2.3) * (1 + 0.01 * noise)},
              {"kernel_name": "scale_cpu", "case": "big", "unit": "ms", "value": (50 if i % 17 else 80) * (1 + 0.01 * noise)},
              {"kernel_name": "copy", "case": "big", "unit": "GB/s", "bigger_is_better": True, "value": (100 if i < 20 else 120) + noise}]
    print(json.dumps({"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": 1600000000 + 86400 * i, "commit": f"{i + 0xc0de00:08x}",
                      "subject": "Cause a loss" if i == 40 else f"Change {i}", "points": points, "baseline_moves": []}))
PYTHON
quiet pawl history import runs.ndjson
try pawl history --changes
pawl --json history scale_cpu --case tiny --changes | python3 -c '
import json, sys
series = json.load(sys.stdin)["series"][0]
for change in series["changes"]:
    print(change["previous_commit"], change["commit"], change["subject"], round(change["loss_pct"]), change["confidence"] > 0.999)'
