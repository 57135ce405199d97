# SPDX-License-Identifier: Apache-2.0
# Without a GPU each entry of the baseline that a GPU measured needs a proof: a change of the suite leaves none out.
# Takes long.
# By hand: perf/baseline.json
repository
export PAWL_CUDA_LIBRARY=/none/libcuda.so.1
for name in rows two; do
  sed "s/PAWL_CPU/PAWL_CUDA/; s/\"scale_cpu\"/\"$name\"/" kernels/scale_cpu.c >kernels/$name.c
  echo "  $name: {operator: scale, device: cuda, sources: [kernels/$name.c], flags: [-O1]}" >>lines
done
sed -i -e '/^  scale_cpu: /{r lines
d}' pawl.yaml
rm lines
commit "Have two kernels for a GPU"
anchor=$(git rev-parse HEAD)
mkdir -p perf
entry() {
  echo "{\"kernel_name\": \"$1\", \"case_name\": \"tiny\", \"hardware\": \"NVIDIA H200\", \"config\": {\"n\": 1000, \"dtype\": \"f32\"},
 \"median_ms\": 0.05, \"ci_95_low\": 0.04, \"ci_95_high\": 0.06, \"git_commit\": \"$anchor\",
 \"timestamp\": \"2026-11-29T10:00:00Z\"$2}"
}
code=', "code": {"arch": "sm_90a", "registers": 40}'
record() {
  echo "{\"schema_version\": 1, \"moves\": [], \"entries\": [$(entry rows "$code"), $(entry two "$1")]}" >perf/baseline.json
  commit "Record them on another machine"
}
record "$code"

# change WORDS: the run of a branch with this change.
change() {
  git checkout -q -b change
  git add -A
  git commit -q --allow-empty -m "Change"
  echo "# $1"
  try pawl -q run | sed "s/$(printf %.12s "$anchor")/ANCHOR/"
  field perf/out/verdict.json comparisons.1.verdict
  git checkout -q main
  git branch -q -D change
}
two() { sed -i "s/^  two: .*/  $1/" pawl.yaml; }
program='protocol: [python3, k.py]'

change "no difference"
sed -i '/^  two:/d' pawl.yaml
change "the kernel left the suite"
two 'deux: {operator: scale, device: cuda, sources: [kernels\/two.c], optional: true}'
sed -i 's/"two"/"deux"/; s/2 \* x/3 * x/' kernels/two.c
change "it is wrong, optional and has another name"
two 'two: {operator: scale, device: cpu, sources: [kernels\/two.c], flags: [-O1]}'
sed -i 's/PAWL_CUDA/PAWL_CPU/' kernels/two.c
change "it is one for a CPU"
two "two: {operator: scale, device: cuda, optional: true, $program}"
echo 'raise SystemExit(1)' >k.py
change "it is an optional program"
two 'two: {device: cuda, optional: true, command: ["true"]}'
change "it is an optional command"

# The entry of a program has no machine code. The suite of the merge base says that it needs a GPU.
two "two: {operator: scale, device: cuda, optional: true, $program}"
record ""
change "a program as before"
sed -i '/^  two:/d' pawl.yaml
change "the program left the suite"
echo "# other kernels alone"
try pawl -q run rows
