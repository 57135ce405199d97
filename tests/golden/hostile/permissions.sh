# SPDX-License-Identifier: Apache-2.0
# What may not be read or written is said, is never taken for absent, and stays as it was.
steady_machine
as_user() { # root is asked for its permissions too
  if [ "$(id -u)" -eq 0 ]; then set -- setpriv --bounding-set -dac_override,-dac_read_search "$@"; fi
  "$@"
}
may_not() {
  printf '$ %s\n' "$*"
  as_user "$@" >/dev/null 2>"$SCRATCH/err" || echo "(exit status $?)"
  sed 's/^/! /' "$SCRATCH/err"
}
quiet pawl -q ratchet "$DATA/base.json" --update
sha256sum perf/baseline.json >before
chmod 000 perf
may_not pawl ratchet "$DATA/slower.json"
chmod 500 perf
may_not pawl ratchet "$DATA/slower.json"
may_not pawl ratchet "$DATA/faster.json" --update
chmod 700 perf
chmod 000 perf/baseline.json
may_not pawl ratchet "$DATA/slower.json"
chmod 400 perf/baseline.json
may_not pawl ratchet "$DATA/faster.json" --update
sha256sum --check --quiet before && echo "the baseline is as it was"
ls -A perf
quiet pawl -q history import "$DATA/history.ndjson"
echo kept >.pawl/cache
chmod 300 .pawl
may_not pawl clean --all
chmod 700 .pawl
cat .pawl/cache
