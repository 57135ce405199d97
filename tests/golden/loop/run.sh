# SPDX-License-Identifier: Apache-2.0
# The whole loop on a kernel that is right: a baseline, then a run that is judged by it.
repository
quiet pawl -q run --update-baseline
ls perf perf/out
git status --short --untracked-files=all
head -1 perf/out/report.md
field perf/out/results.json results.0.outcome
field perf/out/results.json results.0.correctness.passed
field perf/out/results.json dirty
field perf/baseline.json entries.0.kernel_name
commit "Record the baseline"
quiet pawl -q run
head -1 perf/out/report.md
git status --short --untracked-files=all
