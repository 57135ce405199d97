# SPDX-License-Identifier: Apache-2.0
# Files and addresses that are not what they should be; nothing of a file with a fault is taken.
printf 'version: 1\n' >pawl.yaml
line='{"schema_version":1,"id":"00000000000000000000000000000001","source":"run","time":1,"points":[],"baseline_moves":[]}'
{ echo "$line"; echo '{"schema_version":1,"id":"x","source":"run","time":1,"points":[],"baseline_moves":[]}'; } >bad.ndjson
try pawl history import bad.ndjson
{ echo "$line"; echo '{"schema_version":1'; } >cut.ndjson
try pawl history import cut.ndjson
echo "$line" | sed 's/"points":\[\]/"points":[{"kernel_name":"a","case":"b","unit":"ms","value":"fast"}]/' >word.ndjson
try pawl history import word.ndjson
echo "$line" | sed 's/version":1/version":2/' >newer.ndjson
try pawl history import newer.ndjson
try pawl history import missing.ndjson
try pawl history
echo 'not a database, but long enough for a header of one, which has a hundred bytes and some more of them' >.pawl/history.db
try pawl history
rm .pawl/history.db*
python3 -c 'import sqlite3; sqlite3.connect(".pawl/history.db").execute("create table t (x)")'
try pawl history
printf 'version: 1\nstore: none\n' >pawl.yaml
try pawl history
