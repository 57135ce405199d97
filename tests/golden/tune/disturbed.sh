# SPDX-License-Identifier: Apache-2.0
# What disturbs a search: a compiler that does not come to an end, a process that does not exit, an assembler's error,
# a source, a header and a parameter that somebody edits, Ctrl-C while pawl judges.
# Needs true times.
repository
cat >compiler <<'SCRIPT'
#!/bin/sh
case " $* " in *" -DMODE=3 "*) case " $* " in *" -c "*) sleep 300 ;; esac ;; esac
exec cc "$@"
SCRIPT
chmod +x compiler
python3 - <<'PYTHON'
from pathlib import Path
kernel = Path("kernels/scale_cpu.c")
loop = "for (int64_t i = 0; i < n; i++)"
text = kernel.read_text()
assert loop in text
kernel.write_text(text.replace(loop, f"""volatile float sum = 0;
  for (int pass = 1; pass < PASSES; pass++) {loop} sum = sum + x[i];
  {loop}""", 1) + """
#include <unistd.h>
#if MODE == 1
__attribute__((destructor)) static void wait_for_ever(void) {
  for (;;) pause();
}
#elif MODE == 2
__asm__("no_such_instruction");
#endif
""")
suite = Path("pawl.yaml")
text = suite.read_text().replace("sources: [kernels/scale_cpu.c]}", """sources: [kernels/scale_cpu.c], compiler: ./compiler,
    params: {PASSES: 12, MODE: 0},
    tune: {MODE: [3, 2, 1, 0], PASSES: [3, 12]}}""")
suite.write_text(text.replace("tiny: {operator: scale, n: 1000,", "tiny: {operator: scale, n: 40000,") +
                 "gate: {tolerate: 5%, detect: 30%, improve: 20%, max_blocks: 30, busy: count}\n")
PYTHON
sed -i "s/measure: {/measure: {cache: warm, /" pawl.yaml
commit "Tune"
pawl -q tune scale_cpu --case tiny --strategy exhaustive --budget 25s 2>/dev/null | sed -e 's/is [0-9.]* times as fast/is many times as fast/' -e 's/ \[.*\]//'
grep -c "\`MODE=3,PASSES=3\` was not built yet" perf/out/tune/suggestions.md
sed -n '/^## What failed/,/^!/p' perf/out/tune/suggestions.md | grep '^| [0-9]' | sed 's/&#[0-9]*;//g'
tried() {
  count=$(grep -c '"key":' perf/out/tune/tune.jsonl 2>/dev/null) || :
  echo "${count:-0}"
}
edit_meanwhile() { # FILE COMMAND-OF-SED [OPTION-OF-TUNE]...
  file=$1 change=$2
  shift 2
  case "$*" in *--resume*) ;; *) rm -f perf/out/tune/tune.jsonl ;; esac
  before=$(tried)
  pawl -q tune scale_cpu --case tiny --strategy exhaustive --budget 60s "$@" >out 2>err &
  while kill -0 $! && [ "$(tried)" = "$before" ]; do sleep 0.05; done
  sed -i "$change" "$file"
  status=0; wait $! || status=$?
  echo "status $status"
  sed -e "s|'[^ ]*/kernels/|'kernels/|" -e "s|--from .*/perf|--from perf|" err
  git checkout -q .
}
echo "-- a source changes"
echo "#define FACTOR 2" >kernels/factor.h
sed -i -e '1i #include "factor.h"' -e 's/2 \* x\[i\]/FACTOR * x[i]/' kernels/scale_cpu.c
sed -i "s/MODE: \[3, 2, 1, 0\], PASSES: \[3, 12\]/PASSES: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]/" pawl.yaml
commit "Passes"
edit_meanwhile kernels/scale_cpu.c 's/FACTOR \* x/3 * x/'
edit_meanwhile kernels/factor.h 's/2/3/'
echo "-- a parameter changes"
edit_meanwhile pawl.yaml 's/PASSES: 12/PASSES: 11/' --resume --apply
<out sed -e 's/is [0-9.]* times as fast/is many times as fast/' -e 's/ \[.*\]//'
echo "-- Ctrl-C while pawl judges"
python3 - <<'PYTHON'
import json, pathlib, signal, subprocess, time
journal = pathlib.Path("perf/out/tune/tune.jsonl")
search = subprocess.Popen(["pawl", "-q", "tune", "scale_cpu", "--case", "tiny", "--strategy", "exhaustive", "--budget", "60s", "--apply"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
time.sleep(0.5)
while search.poll() is None and journal.read_text().count('"key"') < 9:
    time.sleep(0.02)
time.sleep(1)
assert search.poll() is None
begin = time.monotonic()
search.send_signal(signal.SIGINT)
out, _ = search.communicate()
print(search.returncode == -signal.SIGINT, time.monotonic() - begin < 8, "no decision" in out)
PYTHON
git status --short pawl.yaml
