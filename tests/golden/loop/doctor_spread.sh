# SPDX-License-Identifier: Apache-2.0
# doctor measures a kernel against itself, on a quiet machine and on a busy one, and leaves nothing behind.
mkdir temporary
TMPDIR=$PWD/temporary pawl --json doctor >doctor.json
python3 - <<'PYTHON'
import json, re
row = next(row for row in json.load(open("doctor.json"))["steadiness"] if row["name"] == "spread")
text = row.get("found") or row["reason"]
figure = r"\d+\.\d\d % between (\d+) blocks of one kernel( \(\d+ disturbed\))?; the gate sees a slow-down of (none|\d+\.\d %)"
measured = re.match(figure, text)
busy = re.match(r"not measured: too few blocks in the time: \d, and \d+ that do not count$", text)
print("a figure or a reason:", bool(busy) or bool(measured and int(measured[1]) >= 8) or text)
PYTHON
ls temporary
