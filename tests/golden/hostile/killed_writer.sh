# SPDX-License-Identifier: Apache-2.0
# What a killed writer leaves beside the baseline does not make the tree dirty; what a living one writes stays.
repository
mkdir -p perf
echo half >perf/.baseline.json.pawl-AbC123
echo half >.pawl.yaml.pawl-AbC123
echo mine >perf/.baseline.json.pawl-notes
git status --short --untracked-files=all
rm perf/.baseline.json.pawl-notes
quiet pawl -q run --update-baseline
git status --short --untracked-files=all
echo "--- living"
cd perf
python3 -c '
import fcntl, pathlib, time
file = open(".baseline.json.pawl-AbC123", "w")
fcntl.flock(file, fcntl.LOCK_EX)
pathlib.Path("locked").touch()
time.sleep(60)' &
while [ ! -e locked ]; do sleep 0.01; done
: >.baseline.json.pawl-AbC124
quiet pawl -q ratchet "$DATA/base.json" --baseline baseline.json --update
ls -A
