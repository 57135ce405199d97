# SPDX-License-Identifier: Apache-2.0
# Where nothing can be written: 73, and what was there stays.
mkdir folder
echo old >folder/out.json
echo file >notfolder
try pawl compare "$DATA/base.json" "$DATA/noise.json" -o folder
try pawl merge "$DATA/base.json" -o notfolder/out.json
try pawl report "$DATA/base.json" -o notfolder/report.md
try pawl ratchet "$DATA/base.json" --baseline notfolder/baseline.json --update
try pawl merge "$DATA/base.json" -o /proc/none/out.json
cat notfolder folder/out.json
cd "$(mktemp -d "$SCRATCH/XXXXXX")"
repository
mkdir .pawl
echo "--- before time is spent"
try pawl bench -o notfolder/results.json
try pawl check -o kernels
ls .pawl
