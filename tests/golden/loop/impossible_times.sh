# SPDX-License-Identifier: Apache-2.0
# A CPU kernel whose times mean more arithmetic than the CPU can do does less than the operator asks for.
repository
python3 - <<'PYTHON'
import re
from pathlib import Path
path = Path("operators/scale.c")
text = path.read_text()
changed = re.sub(r"(static double flop\([^)]*\) \{).*?\}", r"\1 return shape ? 1e13 : 0; }", text, count=1, flags=re.S)
assert changed != text
path.write_text(changed)
PYTHON
pawl -q --json bench >"$SCRATCH/bench.json" || echo "(exit status $?)"
field "$SCRATCH/bench.json" results.0.outcome
field "$SCRATCH/bench.json" results.0.reason | sed 's/ [0-9][-+0-9.e]*/ N/g'
