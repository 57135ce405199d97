# SPDX-License-Identifier: Apache-2.0
# Closed descriptors and a reader that goes away: said by the status, and no file takes the place of standard output. A
# reader that has seen enough, as head, needs no message.
set +e
pawl -h >&- 2>"$SCRATCH/err"; echo "closed: $?"; cat "$SCRATCH/err"
pawl report "$DATA/base.json" >&- 2>&-; echo "both closed: $?"
pawl compare "$DATA/base.json" "$DATA/slower.json" >&- 2>"$SCRATCH/err"; echo "closed: $?"; cat "$SCRATCH/err"
mkfifo pipe; (exec 3<pipe; exec 3<&-; : >gone) & exec 4>pipe; while [ ! -e gone ]; do sleep 0.01; done
pawl report "$DATA/base.json" >&4 2>"$SCRATCH/err"; echo "reader gone: $?"; cat "$SCRATCH/err"
pawl guide pawl-yaml >&4 2>"$SCRATCH/err"; echo "many pages: $?"; cat "$SCRATCH/err"
pawl merge "$DATA/shard_1.json" "$DATA/shard_2.json" -o merged.json <&- >&- 2>&-; echo "merge: $?"
field merged.json results.1.case
