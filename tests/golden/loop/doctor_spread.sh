# SPDX-License-Identifier: Apache-2.0
# doctor measures a kernel against itself, on a quiet machine and on a busy one, and leaves nothing behind.
# Takes long.
mkdir temporary
TMPDIR=$PWD/temporary pawl --json doctor >doctor.json
python3 - <<'PYTHON'
import json, re
texts = [row.get("found") or row["reason"] for row in json.load(open("doctor.json"))["steadiness"] if row["name"] == "spread"]
seen = r"(none that pawl tries|\d+\.\d %)"
figure = (r"calls of ([0-9.]+) (us|ms|s): \d+\.\d\d % between (\d+) blocks( \(\d+ disturbed\))?; "
          rf"the gate sees a slow-down of {seen} in 1 min, of {seen} in 10 min$")
measured = [re.match(figure, text) for text in texts]
busy = re.match(r"not measured: too few blocks in the time: \d+, and \d+ that do not count$", texts[0])
if not busy:
    us = [float(m[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[m[2]] for m in measured]
    print("three lengths of calls:", len(us) == 3 and us == sorted(us) and all(int(m[3]) >= 8 for m in measured) or texts)
else:
    print("three lengths of calls: True")
PYTHON
ls temporary
