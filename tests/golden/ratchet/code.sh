# SPDX-License-Identifier: Apache-2.0
# Static facts of a GPU's machine code: kept in the baseline, and loud where they get worse, whatever the times say.
set_code() { # IN OUT ARCH REGISTERS SPILLS
  python3 - "$@" <<'PYTHON'
import json, sys
source, target, arch, registers, spills = sys.argv[1:]
document = json.load(open(source))
for row in document["results"]:
    row["code"] = {"hash": "c0de" + registers, "arch": arch, "registers": int(registers), "spill_bytes": int(spills),
                   "local_bytes": 0,
                   "stack_bytes": 0, "shared_bytes": 1024, "code_bytes": 4096, "occupancy_pct": 25.0}
json.dump(document, open(target, "w"))
PYTHON
}
code() {
  printf '$ %s\n' "$*"
  "$@" | sed -n '/^### Machine code/,/^<details/p' | sed '$d'
}
set_code "$DATA/one_case.json" first.json sm_90a 128 0
quiet pawl ratchet first.json --baseline b.json --update
field b.json entries.0.code.registers
code pawl ratchet first.json --baseline b.json
set_code "$DATA/one_case.json" worse.json sm_90a 168 12
code pawl ratchet worse.json --baseline b.json
set_code "$DATA/one_case.json" other.json sm_80 168 12
code pawl ratchet other.json --baseline b.json
pawl --json ratchet worse.json --baseline b.json >verdict.json
field verdict.json comparisons.0.code.worse
# An entry of an earlier pawl has one number for spills and for arrays in local memory: they are unknown, and no change.
sed '/"local_bytes"/d; s/"spill_bytes": 0/"spill_bytes": 84/' b.json >old.json
grep -c '"spill_bytes": 84' old.json
code pawl ratchet worse.json --baseline old.json
