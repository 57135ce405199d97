# SPDX-License-Identifier: Apache-2.0
# A baseline that names the change itself as its anchor does not make the change its own judge.
repository
git branch -m work # no main, so the file of the working tree judges
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/int64_t i = 0; i < n; i++/int64_t j = 0; j < 10 * n; j++/; s/y\[i\] = 2 \* x\[i\]/((volatile float *)y)[j % n] = 2 * x[j % n]/' kernels/scale_cpu.c
commit "Be slow"
judge() {
  rm -rf perf/out
  sed -i "s/\"git_commit\": \".*\"/\"git_commit\": \"$1\"/" perf/baseline.json
  quiet pawl -q run --reduced
  [ ! -e perf/out ] || grep -o "unpaired verdict.*" perf/out/report.md | sed "s/$(git rev-parse HEAD | cut -c1-8)[0-9a-f]*/HEAD/g"
}
judge "$(git rev-parse HEAD)"
judge "$(git rev-parse HEAD | cut -c1-8)"
judge work
rm perf/baseline.json
