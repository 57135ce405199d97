# SPDX-License-Identifier: Apache-2.0
# An export goes where -o points: through a link, into a pipe or a device, which stay what they are.
printf 'version: 1\n' >pawl.yaml
quiet pawl history import "$DATA/history.ndjson"
ln -s target.ndjson link.ndjson
quiet pawl history export -o link.ndjson
[ -L link.ndjson ] && wc -l <target.ndjson
mkfifo pipe
wc -l <pipe >count & quiet pawl history export -o pipe; wait; cat count
[ -p pipe ] && echo "the pipe is a pipe"
try pawl history export -o /dev/full
[ -c /dev/full ] && echo "the device is a device"
try pawl history export -o missing/out.ndjson
find . -name '*.pawl-*' | wc -l
# a pipe can be taken in too
rm -rf .pawl
try pawl history import /dev/stdin <target.ndjson
head -n 99 target.ndjson | try pawl history import /dev/stdin
