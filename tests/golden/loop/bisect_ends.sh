# SPDX-License-Identifier: Apache-2.0
# bisect: ends that are no ends, a kernel that does not change, and a budget that ends at once.
repository
git tag start
echo 1 >notes
commit "Note"
git checkout -q -b side start
echo 2 >notes
commit "Another note"
git checkout -q main
names() {
  "$@" >"$SCRATCH/all" 2>&1 && status=0 || status=$?
  sed 's/[0-9a-f]\{12\}/COMMIT/g' "$SCRATCH/all"
  echo "(exit status $status)"
}
names pawl bisect
names pawl bisect --good nowhere
names pawl bisect --good HEAD
names pawl bisect --good side
names pawl bisect --good start --of speed
names pawl bisect other --good start
names pawl bisect --good start --case tny
names pawl -q bisect --good start --of time
names pawl -q bisect --good start --of wrong
names pawl -q bisect --good start --of registers
names pawl -q bisect --good start --budget 0.000001s
