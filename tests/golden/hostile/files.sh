# SPDX-License-Identifier: Apache-2.0
# Files that are not results: 65 (66 when absent) and one line that names the place.
cd "$DATA/hostile"
for file in *.json; do try pawl compare ../base.json "$file"; done
try pawl compare nothing.json ../base.json
try pawl compare ../base.json nothing.json
try pawl compare .. ../base.json
try pawl report truncated.json
try pawl merge truncated.json -o "$SCRATCH/merged.json"
cd "$OLDPWD"
mkfifo pipe
try timeout 5 pawl compare pipe "$DATA/base.json"
try timeout 5 pawl compare /dev/zero "$DATA/base.json"
