# SPDX-License-Identifier: Apache-2.0
# clean removes only what pawl made, and only beside a suite.
# By hand: perf/baseline.json
repository
quiet pawl -q build
mkdir -p perf/out
echo x >perf/out/report.md
echo x >perf/baseline.json
echo x >kernels/mine.txt
try pawl clean
ls -a
ls perf .pawl
try pawl clean --all
ls -a
ls perf
try pawl clean
mkdir -p elsewhere/.pawl
try pawl -C elsewhere clean --all
ls -a elsewhere
# the history of all runs stays, unless the user names it
pawl -q run --against none >/dev/null
pawl -q run --against none >/dev/null
try pawl clean --history
quiet pawl clean --all
ls -a .pawl
quiet pawl clean --all --history
ls -a
