# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Kernels that are right wherever they are checked, and cheat where they are timed: the timing finds each out.
wrong="$GOLDEN/../plugins/wrong"
cheats="beyond_the_end_when_timed cached_by_sample cheaper_when_timed input_overwritten_when_timed mended_when_timed"
{
  echo "version: 1"
  echo "kernels:"
  echo "  honest: {operator: attention, device: cpu, sources: [honest.c]}"
  for name in $cheats; do echo "  $name: {operator: attention, device: cpu, sources: [$name.c]}"; done
  cat <<'SUITE'
cases:
  small: {operator: attention, B: 2, H: 2, S: 64, D: 16, dtype: f32}
check:
  attention: {S: 40, B: 1, H: 1, D: 16}
measure: {warmup: 2, samples: 16, processes: 2}
SUITE
} >pawl.yaml
cp "$wrong"/*.h "$wrong/honest.c" .
for name in $cheats; do cp "$wrong/$name.c" .; done
pawl -q check | grep passed
pawl -q --json bench >bench.json || echo "(exit status $?)"
python3 - <<'PYTHON'
import json, re
for row in json.load(open("bench.json"))["results"]:
    reason = re.sub(r"\d+ of .*", "...", row["reason"] or "")
    either = row["kernel_name"] in ("input_overwritten_when_timed", "cheaper_when_timed")  # chance decides which test comes first
    print(row["kernel_name"], row["outcome"], "..." if either else reason)
PYTHON
echo "# pawl says each at once, before it times the next"
pawl bench 2>&1 >/dev/null | grep -E '^(WRONG|CRASHED):' | sed -E 's/while pawl timed it: .*; repeat/while pawl timed it: *; repeat/'
