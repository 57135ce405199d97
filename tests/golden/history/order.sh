# SPDX-License-Identifier: Apache-2.0
# The order is the commits': by ancestry where git is at hand, else by their dates; a back-fill, a clock that falls back
# and a pull request change no level.
printf 'version: 1\n' >pawl.yaml
python3 - <<'PYTHON'
import json
def write(path, runs):
    with open(path, "w") as out:
        for number, (commit, commit_time, time, branch, value) in enumerate(runs):
            print(json.dumps({"schema_version": 1, "id": f"{number:032x}", "source": "run", "time": time, "commit": f"{commit:08x}",
                              "commit_time": commit_time, "subject": f"Change {commit & 255}", "branch": branch,
                              "points": [{"kernel_name": "scale", "case": "tiny", "unit": "ms", "value": value * (1 + 0.001 * (commit % 3))}],
                              "baseline_moves": []}), file=out)
HOUR, START = 3600, 1600000000
def main(i, time=None):
    at = START + HOUR * i
    return (0xc0de00 + i, at, time or at + 60, "main", 1 if i < 25 else 1.2)
line = [main(i) for i in range(40)]
write("backfill.ndjson", line + [main(i, START + HOUR * (100 + i)) for i in range(5, 15)])
write("clock.ndjson", [main(i, START + HOUR * i - (10 ** 8 if i >= 25 else 0)) for i in range(40)])
write("branch.ndjson", line[:20] + [(0xf00d00 + i, START + HOUR * (8 + i), START + HOUR * 50 + i, "pull", 1.2) for i in range(12)])
PYTHON
for name in backfill clock branch; do
  rm -rf .pawl
  quiet pawl history import $name.ndjson
  try pawl history --changes
done
try pawl history scale --branch pull --newest 2
try pawl history scale --branch nothing
# dates that go back: ancestry is right
git init -q -b main
for i in $(seq 1 16); do
  date="$((1700000000 - i * 1000)) +0000"
  GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date git commit -q --allow-empty -m "Step $i"
done
rm -rf .pawl
i=0
for commit in $(git rev-list --reverse HEAD); do
  i=$((i + 1))
  echo "[{\"name\": \"steps\", \"unit\": \"bytes\", \"value\": $((i > 8 ? 2000 : 1000))}]" >value.json
  touch -d "@$((1650000000 - i))" value.json
  pawl -q import github-action-benchmark value.json --commit "$commit" --branch main
done
try pawl history --changes
