# SPDX-License-Identifier: Apache-2.0
# bisect --change and ci bisect: from a change of the history to the commit between two runs that caused it, and the answer
# as a note on the change.
# Needs true times.
repository
printf 'gate: {false_alarm: 10%%, miss: 20%%, max_blocks: 30, busy: count}\n' >>pawl.yaml
sleeps 1
commit "Good"
for i in $(seq 40); do
  [ "$i" != 19 ] || sleeps 20
  git commit -q -a --allow-empty -m "Note $i"
done

# Runs of all commits but numbers 18 and 19: the loss came with 18, 19 or 20. Another machine saw it too, and a kernel that has left
# the suite has a newer loss, which no search can answer.
pawl -q --json doctor >doctor.json || true
python3 - <<'PYTHON'
import json, subprocess
commits = subprocess.run(["git", "rev-list", "--reverse", "HEAD"], capture_output=True, text=True).stdout.split()[1:]  # from "Good" on
hardware = json.load(open("doctor.json"))["devices"][0]["found"].rsplit(" (", 1)[0]
def point(kernel, slower, i):
    return {"kernel_name": kernel, "case": "tiny", "unit": "ms", "value": (20 if slower else 1) * (1 + 0.001 * (i * 7 % 5))}

with open("runs.ndjson", "w") as runs:
    for i, commit in enumerate(commits):
        for number, machine in enumerate((hardware, "another machine")):
            if i not in (18, 19):
                runs.write(json.dumps({"schema_version": 1, "id": f"{number * 100 + i:032x}", "source": "run", "time": 1690000000 + i * 3600, "commit": commit,
                                       "hardware": machine, "baseline_moves": [], "points": [point("scale_cpu", i >= 19, i), point("left_cpu", i >= 30, i)]}) + "\n")
PYTHON
pawl -q history import runs.ndjson
# the commits have other names each time, and the figures differ
hide() {
  sed -E 's/[0-9a-f]{40}/COMMIT/g; s/[0-9a-f]{12}/COMMIT/g; s/[0-9]+\.?[0-9]* % slower \[[^]]*\]/X % slower/; s/[0-9.]+ ms -> [0-9.]+ ms/X ms -> Y ms/; s/[0-9]+ blocks/N blocks/; s/[0-9]+ measured/N measured/; s/[0-9]+ with the/N with the/; s/probability [0-9.]+ %/probability P %/'
}
try pawl -q ci bisect | hide
field perf/out/bisect.json finds.0.subject
change=$(git log --format=%h --grep 'Note 20$')
pawl history --changes | grep -o 'new.*pawl bisect.*' | hide
echo "-- the same again, by hand, with the answers that are there"
try pawl -q bisect --change "$change" --note | hide | sed "s/$change/COMMIT/"
echo "-- no loss waits"
try pawl ci bisect
try pawl bisect --change "$change" --good HEAD~3 | sed "s/$change/COMMIT/"
try pawl bisect --good HEAD~3 --note
try pawl bisect --change 0123abcd
