# SPDX-License-Identifier: Apache-2.0
# A reference is measured anew when its script, a package or the machine changed, and after a week.
# Needs a quiet machine.
repository
mkdir packages
cat >scale.py <<'PYTHON'
import pawl_protocol


class Scale(pawl_protocol.Kernel):
    name, operator = "scale_py", "scale"

    def call(self, tensors, shape):
        tensors["y"].write([2 * x for x in tensors["x"].values()])


pawl_protocol.serve(Scale())
PYTHON
cat >>pawl.yaml <<'SUITE'
references:
  known: {operator: scale, device: cpu, protocol: [python3, scale.py]}
SUITE
sed -i "s|samples: 12, processes: 6, timeout: 30s|samples: 4, processes: 2|" pawl.yaml
commit "References"
export PYTHONPATH="$PWD/packages"
# references NAME...: each measured in this run, or kept from which time; the number of kept files.
references() {
  python3 - "$@" <<'PYTHON'
import json, os, sys
for row in json.load(open("perf/out/results.json"))["results"]:
    if row["kernel_name"] in sys.argv[1:]:
        environment = row["environment"]
        ratio = environment.get("canary_ratio")
        assert ratio is None or 0.9 <= ratio <= 1.1
        print(row["kernel_name"], "kept from " + environment["kept_from"] if "kept_from" in environment else "measured")
print(len(os.listdir(".pawl/references")), "files")
PYTHON
}
quiet pawl -q run
references known
echo "# a comment" >>scale.py
quiet pawl -q run
references known
mkdir packages/numbers-1.0.dist-info
quiet pawl -q run
references known
# Another machine: the canary took twice as long. A user who has the key can seal that (docs/adr/seals.md).
python3 - <<'PYTHON'
import glob, json, os, re, struct, subprocess

def piece(content):
    return struct.pack("<Q", len(content)) + content

with open(os.environ["HOME"] + "/.local/state/pawl/key", "rb") as file:
    key = file.read()[12:]
for path in glob.glob(".pawl/references/*.json"):
    with open(path) as file:
        text = file.read()
    seal = json.loads(text)["seal"]
    text = re.sub(r',\n  "seal": "\w+"', "", text)
    text = re.sub(r'("canary_ms": )([^,]+)', lambda found: found[1] + repr(2 * float(found[2])), text)
    with open("sealed", "wb") as file:
        file.write(piece(b"kept reference") + piece(os.path.basename(path).encode()) + piece(text.encode()))
    command = ["openssl", "mac", "-cipher", "AES-256-GCM", "-macopt", "hexkey:" + key.hex(), "-macopt",
               "hexiv:" + seal[24:48], "-in", "sealed", "GMAC"]
    tag = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().lower()
    with open(path, "w") as file:
        file.write(text[:-len("\n}\n")] + f',\n  "seal": "{seal[:48]}{tag}"\n}}\n')
os.unlink("sealed")
PYTHON
quiet pawl -q run
references known
grep -c 'the machine changed, so pawl measured known on tiny anew: its canary took' perf/out/report.md
# A week and a second later; then a file that is no kept result.
export SOURCE_DATE_EPOCH=$((SOURCE_DATE_EPOCH + 604801))
quiet pawl -q run
references known
for file in .pawl/references/*; do echo '{"schema_version": 2}' >"$file"; done
quiet pawl -q run
references known
