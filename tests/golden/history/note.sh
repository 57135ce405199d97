# SPDX-License-Identifier: Apache-2.0
# A person notes what a change is: every list shows it, an export takes it along, and a bad note is refused.
printf 'version: 1\n' >pawl.yaml
python3 - >runs.ndjson <<'PYTHON'
import json
for i in range(40):
    points = [{"kernel_name": kernel, "case": "tiny", "unit": "ms", "value": (2 if i < 20 else 2.4) * (1 + 0.001 * (i * 7 % 5))} for kernel in ("copy", "scale")]
    print(json.dumps({"schema_version": 1, "id": f"{i:032x}", "source": "run", "time": 1600000000 + 86400 * i, "commit": f"{i + 0xc0de00:08x}",
                      "subject": f"Change {i}", "points": points, "baseline_moves": []}))
PYTHON
quiet pawl history import runs.ndjson
export SOURCE_DATE_EPOCH=1700000000
try pawl history note 00c0de14 expected scale --reason "exact rounding costs 20 %" --by "Ada Lovelace"
try pawl history note 00c0de14 acknowledged copy --by Grace
try pawl history --changes
try pawl history note 00c0de14 finished
try pawl history note 00c0de15 fixed
try pawl history note 00c fixed
try pawl history note 00c0de14
try pawl history note 00c0de14 fixed missing
SOURCE_DATE_EPOCH=1800000000 pawl -q history note 00c0de14 wrong scale --by "A clock ahead"
try pawl history note 00c0de14 expected scale --reason "exact rounding costs 20 %" --by "Ada Lovelace"
pawl history export -o out.ndjson
tail -n 2 out.ndjson
mkdir again && cd again && printf 'version: 1\n' >pawl.yaml
try pawl history import ../out.ndjson
pawl history export | cmp - ../out.ndjson && echo "the same, byte for byte"
pawl history
sed 's/"state":"[a-z]*"/"state":"done"/' ../out.ndjson >bad.ndjson
try pawl history import bad.ndjson
echo "-- a commit whose whole name begins another's"
cd .. && mkdir short && cd short && printf 'version: 1\n' >pawl.yaml
sed 's/00c0de14/00c0/' ../runs.ndjson >runs.ndjson
python3 - >>runs.ndjson <<'PYTHON'
import json
for i in range(40):
    print(json.dumps({"schema_version": 1, "id": f"{i + 64:032x}", "source": "run", "time": 1600000000 + 86400 * i, "commit": f"{i + 0xc0de00:08x}", "baseline_moves": [],
                      "points": [{"kernel_name": "other", "case": "tiny", "unit": "ms", "value": (2 if i < 25 else 2.4) * (1 + 0.001 * (i * 7 % 5))}]}))
PYTHON
quiet pawl history import runs.ndjson
try pawl history note 00c0 expected --by Ada
try pawl history note 00c0d expected --by Ada
