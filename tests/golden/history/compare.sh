# SPDX-License-Identifier: Apache-2.0
# Two commits, branches, tags or machines over all series: paired and unpaired evidence, geometric mean, CSV.
printf 'version: 1\n' >pawl.yaml
git init -q -b main && git add -A
GIT_COMMITTER_DATE="1600036000 +0000" git commit -q -m "Start"
python3 - "$(git rev-parse HEAD)" <<'PYTHON'
import json, sys
START, HOUR = 1600000000, 3600
def point(name, value, i, **rest):
    return {"kernel_name": name, "case": "tiny", "unit": "ms", "value": value * (1 + 0.001 * (i * 7 % 5)), **rest}
runs = []
def run(commit, time, points, branch="main", hardware="X"):
    runs.append({"schema_version": 1, "id": f"{len(runs) + 1:032x}", "source": "run", "time": time, "commit": commit, "commit_time": time,
                 "branch": branch, "hardware": hardware, "hardware_name": f"Machine {hardware}", "points": points, "baseline_moves": []})
for i in range(30):
    commit = sys.argv[1] if i == 10 else f"{0xc0de0000 + i:08x}"
    for hardware, factor in (("X", 1), ("Y", 0.5)):
        steady = point("steady", factor, i)
        if i == 29 and hardware == "X":
            steady |= {"verdict": "maintained", "anchor": "c0de000b", "change_pct": -0.4, "change_low_pct": -0.6, "change_high_pct": -0.2}
        points = [point("slower", (1.2 if i >= 20 else 1) * factor, i), steady, point("quick", (1 if i < 20 else 0.9) * factor, i),
                  {"kernel_name": '=cmd,"x"', "case": "tiny", "unit": "GB/s", "bigger_is_better": True, "value": 100 + 0.1 * (i * 7 % 5)}]
        run(commit, START + HOUR * i, points, hardware=hardware)
run("f00d0000", START + HOUR * 40, [point("slower", 1.2, 0), point("new", 1, 0)], "pull")
open("runs.ndjson", "w").write("".join(json.dumps(row) + "\n" for row in runs))
PYTHON
quiet pawl history import runs.ndjson
git tag v1
try pawl history compare v1 main
try pawl history compare c0de000b c0de001d steady
try pawl history compare c0de001d c0de000b steady
try pawl history compare pull main
try pawl history compare "Machine X" "machine:Machine Y" quick
try pawl history compare c0de000b main slower -o - | tr -d '\r'
pawl history compare v1 main -o table.csv && wc -l <table.csv
pawl --json history compare v1 main quick | python3 -c 'import json, sys; print({k: v for k, v in json.load(sys.stdin)["a"].items() if k != "key"})'
try pawl history compare nothing main
try pawl history compare "Machine X" main
try pawl history compare c0de main
try pawl history compare f00d0000 c0de0000 quick
try pawl history compare v1
# a second machine of the same name is not dropped, and its identity names it alone
grep '"hardware": "Y"' runs.ndjson | sed 's/"hardware": "Y"/"hardware": "Z"/; s/"id": "00/"id": "ff/' >more.ndjson
quiet pawl history import more.ndjson
try pawl history compare "Machine X" "Machine Y" quick
try pawl history compare "Machine X" machine:Z quick
# a commit whose whole name begins another's, and a branch whose name begins two
grep '"commit": "c0de001d"' runs.ndjson | sed 's/"c0de001d"/"c0de"/; s/"id": "00/"id": "aa/' >short.ndjson
grep f00d0000 runs.ndjson | sed 's/"pull"/"c0de0"/; s/"id": "00/"id": "bb/; s/f00d0000/f00d0001/' >>short.ndjson
quiet pawl history import short.ndjson
pawl --json history compare c0de c0de001d quick | python3 -c 'import json, sys; print(json.load(sys.stdin)["a"])'
pawl --json history compare c0de0 c0de001d slower | python3 -c 'import json, sys; print(json.load(sys.stdin)["a"])'
try pawl history compare commit:c0de0 c0de001d
