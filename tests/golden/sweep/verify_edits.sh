# SPDX-License-Identifier: Apache-2.0
# verify: plans, samples and pictures that somebody edited, cut, or filled to the brim; pictures and citations that stay.
# Takes long.
# shellcheck source=/dev/null disable=SC2154
. "$GOLDEN/sweep/verify.inc"
# plan STATEMENT: changes the plan by a statement of Python.
plan() { python3 -c "import json; plan = json.load(open('swept/sweep.json')); $1; json.dump(plan, open('swept/sweep.json', 'w'))"; }
echo "== a line that is no block, or of another point"
fresh
edit samples.ndjson.gz '"point":' '"pint":'
try pawl -q verify swept
fresh
edit samples.ndjson.gz '"point":0' '"point":7'
try pawl -q verify swept
fresh
edit samples.ndjson.gz '"number":1' '"number":3'
try pawl -q verify swept

echo "== a plan that would fill the memory, and one with words of its own"
fresh
edit sweep.json '"rounds": [0-9]*' '"rounds": 999999999'
try pawl -q verify swept
fresh
edit sweep.json '"cache": "cold"' '"cache": "[x](https://example.com)"'
try pawl -q verify swept

fresh
plan "plan['samples'] = 1000000; plan['points'] = [plan['points'][0] | {'case': f'c{i}'} for i in range(100)]"
python3 - <<'PYTHON'
import resource, subprocess
open("swept/samples.ndjson.gz", "w").close()
status = subprocess.run(["pawl", "-q", "verify", "swept"], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("exit status", status, "in less than 1 GiB" if used < 1 << 20 else f"in {used} KiB")
PYTHON
fresh
plan "plan['arms'] = [plan['arms'][0] | {'name': f'a{i}'} for i in range(18)]"
try pawl -q verify swept
fresh
seq -f "no checksum %g" 20000 >swept/SHA256SUMS
pawl -q verify swept | tail -n 3

echo "== a plan without claims, and one without its samples"
fresh
plan "plan['arms'] = [arm | {'missing': 'no compiler'} for arm in plan['arms']]"
python3 - <<'PYTHON'
import gzip, json, pathlib
path = pathlib.Path("swept/samples.ndjson.gz")
blocks = [json.loads(line) | {"timings": []} for line in gzip.decompress(path.read_bytes()).splitlines()]
path.write_bytes(gzip.compress("".join(json.dumps(block) + "\n" for block in blocks).encode()))
PYTHON
pawl -q verify swept | tail -n 3
try pawl -q sweep --rewrite -o swept
try pawl -q verify swept
echo "ssh-ed25519 AAAA nobody" >nobody.pub
try pawl -q verify swept --signer nobody.pub
fresh
rm swept/samples.ndjson.gz
try pawl -q verify swept

echo "== a name that looks like an answer, and a block behind a NUL"
fresh
for name in sweep.json samples.ndjson.gz; do
  for _ in $(seq 24); do
    edit $name '"scale_cpu"' '"x\\nholds          y"' 2>/dev/null || true
  done
done
try pawl -q verify swept
fresh
edit samples.ndjson.gz '{"point":2' '\0{"point":2'
try pawl -q verify swept

echo "== two timings of a kernel, a file without a checksum, two files of samples, two pictures in each other's place"
fresh
edit samples.ndjson.gz '"timings":\[({[^}]*})' '"timings":[\1,\1'
again
try pawl -q verify swept
fresh
echo "all is well" >swept/more.html
try pawl -q verify swept | tail -n 4
pawl -q sweep --rewrite -o swept >/dev/null
pawl -q verify swept | tail -n 3
gunzip -k swept/samples.ndjson.gz # as a writer leaves it that is killed behind the first of the two
pawl -q sweep --rewrite -o swept >/dev/null
pawl -q verify swept | tail -n 3
zcat swept/samples.ndjson.gz | head -n 3 >swept/samples.ndjson
pawl -q sweep --rewrite -o swept >/dev/null
try pawl -q verify swept | tail -n 4
fresh
cp swept/rate-dark.png swept/limit-dark.png
again
try pawl -q verify swept | tail -n 3

echo "== names in the citation stay"
sed -i 's/The authors of the kernels/A. Author/' swept/CITATION.cff
pawl -q sweep --rewrite -o swept >/dev/null
pawl -q verify swept | tail -n 3
grep Author swept/CITATION.cff

echo "== huge and cut inputs"
fresh
truncate -s 20G swept/README.md
try pawl -q verify swept | grep fault
fresh
truncate -s 200 swept/samples.ndjson.gz
try pawl -q verify swept
fresh
head -c 1100000000 /dev/zero | gzip -1 >swept/samples.ndjson.gz
try pawl -q verify swept
fresh
rm swept/README.md swept/claims.csv
mkfifo swept/README.md
ln -s /dev/zero swept/claims.csv
try pawl -q verify swept | grep fault

echo "== checksums that lead elsewhere"
fresh
sed -i 's/README.md/..\/README.md/' swept/SHA256SUMS
try pawl -q verify swept

echo "== a shape is complete by its precision, or by its blocks"
as_recorded
edit sweep.json '"most_blocks": 8' '"most_blocks": 9'
try pawl -q sweep --rewrite -o swept | tail -n 3
edit sweep.json '"precision": [0-9.]*' '"precision": 10.0'
try pawl -q sweep --rewrite -o swept | tail -n 1

echo "== pictures as SVG alone"
fresh
quiet pawl -q sweep --rewrite --no-png -o swept
(cd swept && echo *.png)
pawl verify swept | tail -3
rm swept/curve-light.svg
pawl verify swept | grep fault:

echo "== a time beyond the limit of the device"
as_recorded
edit sweep.json '"peak_gb_s": [0-9.]*' '"peak_gb_s": 1.0'
try pawl -q sweep --rewrite -o swept | grep beyond
grep warning: swept/README.md
cut -d, -f2,3,13- swept/times.csv

echo "== the functions that ran"
rm -rf swept
mkdir swept
python3 - "$GOLDEN/../data/sweep" <<'PYTHON'
import json, pathlib, sys
recorded = pathlib.Path(sys.argv[1])
pathlib.Path("swept/sweep.json").write_text((recorded / "sweep.json").read_text())
lines = [json.loads(line) for line in (recorded / "samples.ndjson").read_text().splitlines()]
lines[0]["timings"][0]["environment"] = {"pytorch": "2.11.0", "functions": "ab<<<(1,1,1), (2,1,1), 0>>>; a<<<(3,1,1), (4,1,1), 0>>>"}
last = "; ".join(["a<<<(5,1,1), (6,1,1), 0>>>"] + ["f%d<<<>>>" % number for number in range(9)] + ["f1<<<>>>"])
lines[-1]["timings"][0]["environment"] = {"pytorch": "2.11.0", "functions": last}
pathlib.Path("swept/samples.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
PYTHON
quiet pawl -q sweep --rewrite -o swept
grep functions swept/README.md

