# SPDX-License-Identifier: Apache-2.0
# An update waits for another's lock, and goes on when it is given back.
steady_machine
quiet pawl -q ratchet "$DATA/base.json" --update
python3 -c '
import fcntl, pathlib, time
lock = open("perf/.baseline.lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
pathlib.Path("taken").touch()
time.sleep(1)
pathlib.Path("given_back").touch()' &
while [ ! -e taken ]; do sleep 0.01; done
quiet pawl -q ratchet "$DATA/faster.json" --update
[ -e given_back ] && echo "it has waited"
python3 -c 'import json; print(len(json.load(open("perf/baseline.json"))["moves"]), "moves")'
