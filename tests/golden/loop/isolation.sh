# SPDX-License-Identifier: Apache-2.0
# Who runs the code of strangers requires a sandbox, whatever their suite says.
# Takes long.
repository
sed -i 's/^measure: {/measure: {isolation: off, /' pawl.yaml
pawl -q --json bench >"$SCRATCH/off.json"
field "$SCRATCH/off.json" results.0.environment.isolation
PAWL_ISOLATION=required pawl -q --json bench >"$SCRATCH/required.json"
field "$SCRATCH/required.json" results.0.environment.isolation
PAWL_ISOLATION=yes try pawl -q bench
# as in a container that forbids namespaces: a filter of system calls refuses unshare (number 272)
cat >"$SCRATCH/container.py" <<'PYTHON'
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 272), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000)]
rows = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(rows)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
os.execvp(sys.argv[1], sys.argv[1:])
PYTHON
PAWL_ISOLATION=required try python3 "$SCRATCH/container.py" pawl -q bench
# the base and the candidate then run in two folders, and the report says so
# both versions run in folders of their own there, and the report says so
python3 - <<'PYTHON'
import pathlib, re
suite, kernel = pathlib.Path("pawl.yaml"), pathlib.Path("kernels/scale_cpu.c")
text = re.sub(r"^gate:.*\n", "", suite.read_text().replace("isolation: off, ", ""), flags=re.M)
suite.write_text(text + "gate: {tolerate: 50%, detect: 100%, improve: 100%, max_blocks: 12, busy: count}\n")
kernel.write_text(kernel.read_text().replace("2 * x[i]", "2 * x[i] + 0 * (float)n"))
PYTHON
python3 "$SCRATCH/container.py" pawl -q run --against HEAD >"$SCRATCH/said" 2>&1 || cat "$SCRATCH/said"
grep -o 'this machine gives pawl no namespaces' perf/out/report.md
