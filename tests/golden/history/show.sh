# SPDX-License-Identifier: Apache-2.0
# The trend of a history that was recorded elsewhere; what is there already counts once.
printf 'version: 1\n' >pawl.yaml
try pawl history
try pawl history import "$DATA/history.ndjson"
try pawl history import "$DATA/history.ndjson"
try pawl history
try pawl history scale_cpu --case tiny
try pawl history scale_cpu --case tiny --branch topic
try pawl history scale_cpu --case tiny --newest 2
try pawl history scale_cpi
try pawl history scale_cpu --case tinny
try pawl history scale_cpu other
try pawl history prune
try pawl --json history --case tiny --newest 1
try pawl history export -o out.ndjson
python3 - "$DATA/history.ndjson" <<'PYTHON'
import json, sys
print("the same came out:", *([json.loads(line) for line in open(path)] == [json.loads(line) for line in open("out.ndjson")]
                               for path in sys.argv[1:]))
PYTHON
try pawl history prune --older-than 0 --dry-run
try pawl history prune --older-than 0 --details
try pawl history prune --older-than 0
try pawl history
