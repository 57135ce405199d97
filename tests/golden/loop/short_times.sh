# SPDX-License-Identifier: Apache-2.0
# Functions of a nanosecond, as other harnesses time them: shown in their unit, kept to the picosecond, read again.
cat >pawl.yaml <<'SUITE'
version: 1
kernels:
  short: {command: [cat, short.json], parse: criterion}
measure: {warmup: 0, samples: 2, processes: 1}
SUITE
criterion() {
  printf '{"iters": [10000, 10000], "times": [%s]}\n' "$1" >short.json
}
for times in "14340, 14360" "4320, 4340"; do
  criterion "$times"
  pawl -q bench -o short.result.json | grep '^  command '
  field short.result.json results.0.performance.samples_ms
  quiet pawl report short.result.json -o short.md
done
criterion "1e-9, 1e-9"
quiet pawl -q bench
