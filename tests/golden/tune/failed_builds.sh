# SPDX-License-Identifier: Apache-2.0
# Code that does not compile is compiled once, whatever its message says: 5 of 8 configurations here. A compiler that was
# killed or has no room says nothing about the code, which is compiled again: each once here.
repository
cat >counting <<'SCRIPT'
#!/bin/sh
case " $* " in *" -c "*) : >"$COUNTS/$$" && printf '%s\n' "$*" | grep -o 'DM=[0-9]' >"$COUNTS/$$" ;; esac
case " $* " in
  *" -DM=1 "*) mkdir "$COUNTS.a" 2>/dev/null && echo "a.c:1:1: fatal error: error writing to /t.s: No space left on device" >&2 && exit 1 ;;
  *" -DM=2 "*) mkdir "$COUNTS.b" 2>/dev/null && printf 'a.c:1:1: error: no\nsh: 1: /p(2)/cc1: Killed\n' >&2 && exit 1 ;;
  *" -DM=3 "*) mkdir "$COUNTS.c" 2>/dev/null && echo "cc: fatal error: Killed signal terminated program cc1" >&2 && exit 1 ;;
esac
exec cc "$@"
SCRIPT
chmod +x counting
sed -i "s|^measure: {|&isolation: off, |; s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], compiler: $PWD/counting, params: {M: 1}, tune: {M: [1, 2, 3, 4, 5, 6, 7, 8]}}|" pawl.yaml
sleeps 5
cat >>kernels/scale_cpu.c <<'CODE'
#if M == 4
#error "M is too large for the signal"
#elif M == 5
_Static_assert(M < 5, "out of memory: Killed, the timer timed out");
#elif M == 6
#error Killed signal terminated program, No space left on device
#elif M == 7
#error "M is too large"
#elif M == 8
extern int signal_of_nobody(void);
int call_nobody(void) { return signal_of_nobody(1); }
#endif
CODE
mkdir counts
export COUNTS="$PWD/counts"
try pawl -q tune scale_cpu --strategy exhaustive --budget 60s
sort counts/* | uniq -c | sed 's/^ *//'
grep "ran longer" perf/out/tune/suggestions.md || echo "no compiler took too long"
