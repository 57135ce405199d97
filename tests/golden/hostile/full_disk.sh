# SPDX-License-Identifier: Apache-2.0
# A full disk: 73 or 74 and one line, no half-written file, and the old one whole.
steady_machine
set +e
PATH=${PAWL_UNDER_TEST%/*}:$PATH # nobody between pawl and its standard output
full() {
  "$@" >/dev/full 2>"$SCRATCH/err"
  echo "$*: $?"
  cat "$SCRATCH/err"
}
full pawl -h
full pawl list -h
full pawl compare "$DATA/base.json" "$DATA/slower.json"
full pawl --json compare "$DATA/base.json" "$DATA/faster.json"
full pawl report "$DATA/base.json"
full pawl ratchet "$DATA/base.json"
full pawl ratchet "$DATA/base.json" --baseline moved.json --update
rm moved.json
# A limit on the size of files is a disk that is full, for everybody who runs this.
limited() {
  printf '$ %s\n' "$*"
  (
    ulimit -f 1
    exec "$@" >/dev/null 2>"$SCRATCH/err"
  )
  echo "(exit status $?)"
  cat "$SCRATCH/err"
}
quiet pawl -q ratchet "$DATA/base.json" --baseline perf/baseline.json --update
sha256sum perf/baseline.json >"$SCRATCH/before"
limited pawl -q ratchet "$DATA/faster.json" --baseline perf/baseline.json --update
sha256sum --check --quiet "$SCRATCH/before" && echo "the baseline is as it was"
limited pawl merge "$DATA/shard_1.json" "$DATA/shard_2.json" -o merged.json
limited pawl compare "$DATA/base.json" "$DATA/mixed.json" -o comparison.json
limited pawl report "$DATA/base.json" -o report.md
find . -type f -not -name '.*.lock'
