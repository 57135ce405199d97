# SPDX-License-Identifier: Apache-2.0
# The first runs name the commands that come next; what pawl leaves behind is ignored without a .gitignore of the user's.
repository
rm -f .gitignore
echo >>pawl.yaml
commit "Without .gitignore"
run() {
  quiet pawl run "$@"
  head -1 perf/out/report.md
  git status --short --untracked-files=all
}
git checkout -q -b branch
echo >>kernels/scale_cpu.c
run
commit "Edit"
run
git checkout -q -
run
run --update-baseline
quiet pawl -C kernels -f ../pawl.yaml run
run
commit "Record the baseline"
run
cat .pawl/.gitignore perf/out/.gitignore
quiet pawl -q run -o elsewhere
ls -A elsewhere
