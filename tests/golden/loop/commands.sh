# SPDX-License-Identifier: Apache-2.0
# A command that fails, whose program is missing or that writes no times costs its own row and no other.
# Needs true times.
repository
sed -i "s/^cases:/  missing: {command: [.\/nowhere]}\n  fails: {command: [sh, -c, 'echo no >\&2; exit 3']}\n\
  unreadable: {command: [sh, -c, 'echo {} >{out}'], parse: hyperfine}\n  good: {command: [sleep, '0.01']}\n&/" pawl.yaml
printf 'references:\n  optional: {command: [./nowhere], optional: true}\n' >>pawl.yaml
commit "Add commands"
rows() {
  python3 - "$1" <<'PYTHON'
import json, sys
for row in json.load(open(sys.argv[1]))["results"]:
    print(row["kernel_name"], row["outcome"], row["reason"])
PYTHON
}
quiet pawl -q bench -o results.json
rows results.json
rm results.json
quiet pawl -q run --update-baseline
rows perf/out/results.json
