# SPDX-License-Identifier: Apache-2.0
# `run` with ignored signals, small limits and full disks: one line says what failed, and whether the baseline has moved.
repository
echo "--- a program that ignores SIGCHLD starts pawl"
(
  trap '' CHLD
  quiet pawl -q run --update-baseline
)
ls perf/baseline.json
echo "--- the report cannot be written"
rm perf/baseline.json
rm -f perf/out/report.md
mkdir perf/out/report.md
quiet pawl -q run --update-baseline
ls perf/baseline.json
echo "--- a link in the place of the report is replaced, and what it leads to stays"
rmdir perf/out/report.md
echo mine >"$SCRATCH/mine"
ln -s "$SCRATCH/mine" perf/out/report.md
quiet pawl -q run
test -L perf/out/report.md || cat "$SCRATCH/mine"
echo "--- the baseline cannot be written"
rm perf/baseline.json
ln -s /proc/none/baseline.json perf/baseline.json
commit "Lead the baseline nowhere"
quiet pawl -q run --update-baseline
echo "--- a limit on the size of files"
rm -rf .pawl perf
status=0
(
  ulimit -f 1
  exec pawl -q run >/dev/null 2>"$SCRATCH/err"
) || status=$?
# git or Ninja may be the first to meet the limit
echo "$(grep -c '^pawl: cannot ' "$SCRATCH/err") of $(wc -l <"$SCRATCH/err") lines, exit status $status"
