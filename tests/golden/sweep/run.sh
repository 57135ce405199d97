# SPDX-License-Identifier: Apache-2.0
# sweep: kernels beside references on the shapes of the suite; what it refuses; a sweep that is stopped goes on.
repository
sed 's/2 \* x\[i\]/x[i] + x[i]/; s/"scale_cpu"/"plain"/' kernels/scale_cpu.c >kernels/plain.c
echo 'import pawl_protocol; pawl_protocol.refuse("python3 has no module such_a_package")' >kernels/absent.py
cat >>pawl.yaml <<'SUITE'
references:
  plain: {operator: scale, device: cpu, sources: [kernels/plain.c]}
  away: {operator: scale, device: cuda, sources: [kernels/away.cu], optional: true}
  absent: {operator: scale, device: cpu, protocol: [python3, kernels/absent.py], optional: true}
gate: {busy: count}
sweep:
  scale: {n: [100, 1000, 5000], where: ["n != 1000"]}
SUITE
commit "A reference"
sweep() {
  try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 "$@" | sed '/beyond a limit of the device/d; s/[0-9.]*x \[[0-9., ]*\]; .*/X [LOW, HIGH]; .../'
}
sweep -o swept
python3 -c 'import json; print([point["shape"] for point in json.load(open("swept/sweep.json"))["points"]])'
python3 - <<'PYTHON'
import collections, gzip, json
order = collections.defaultdict(list)  # the arm that starts first, in the blocks of each point that count
for block in map(json.loads, gzip.open("swept/samples.ndjson.gz")):
    if not block["spoiled"]:
        order[block["point"]].append(block["first_arm"])
print("pairs of blocks start in both orders:", all(a != b for first in order.values() for a, b in zip(first[::2], first[1::2])))
PYTHON
pawl verify swept >/dev/null
pawl -q --json sweep --rewrite -o swept >/dev/null

echo "== a folder that holds something else"
echo mine >README.md
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 -o kernels/..
cat README.md
rm README.md
mkdir older
cp swept/samples.ndjson.gz older
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 -o older

echo "== the same command finds everything done"
before=$(cat swept/SHA256SUMS)
sweep -o swept
test "$before" = "$(cat swept/SHA256SUMS)"

echo "== stopped before the first block, and killed while it writes"
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 --budget 0.001s -o stopped
cp -r swept killed
python3 - <<'PYTHON'
import gzip, pathlib
lines = gzip.decompress(pathlib.Path("killed/samples.ndjson.gz").read_bytes()).splitlines(keepends=True)
pathlib.Path("killed/samples.ndjson").write_bytes(b"".join(lines[:5]) + lines[5][:100])
for path in pathlib.Path("killed").iterdir():
    if path.name not in ("sweep.json", "samples.ndjson"):
        path.unlink()
PYTHON
sweep -o killed
pawl verify killed >/dev/null
zcat killed/samples.ndjson.gz | wc -l

echo "== another kernel, another plan, a matrix of one's own"
sweep -o swept --seed 3
sed -i 's/2 \* x\[i\]/3 * x[i]/' kernels/scale_cpu.c
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 -o swept 2>&1 | sed 's/[0-9a-f]\{32\}/HASH/g'
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 -o wrong --matrix '{scale: {n: [64]}}' 2>&1 |
  sed 's/tensor.*/.../; s/out: .*/out: .../; s/timed it: .*/timed it: .../'
git checkout -q kernels

echo "== a kernel that opens files takes those of the sweep for its own"
printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'FILE *any(void) { return fopen(getenv("ANY"), "r"); }' >>kernels/plain.c
try pawl -q sweep --precision 50 --blocks 8 --max-blocks 8 -o inside
test ! -e inside/samples.ndjson
echo /inside/ >.gitignore
sweep --matrix '{scale: {n: [64]}}' -o inside | tail -n 2
sweep --matrix '{scale: {n: [64]}}' -o perf/out/inside | tail -n 2
rm .gitignore
git checkout -q kernels

echo "== words that no sweep takes"
try pawl -q sweep --matrix '{scale: {m: [64]}}' -o other
try pawl -q sweep --matrix '{scale: {n: [64], where: ["n > 64"]}}' -o other
try pawl -q sweep --matrix '{scale: {n: [64], where: ["k > 64"]}}' -o other
try pawl -q sweep --matrix '{scale' -o other
try pawl -q sweep --blocks 8 --max-blocks 7
try pawl -q sweep --blocks 6 --max-blocks 6 -o other
try pawl -q sweep --precision 0
try pawl -q sweep --case nowhere
try pawl -q sweep nothing
sed -i '/plain:/d; /away:/d; /absent:/d; s/^references:.*//' pawl.yaml
try pawl -q sweep -o other
