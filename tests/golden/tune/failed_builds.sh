# SPDX-License-Identifier: Apache-2.0
# Code that does not compile is compiled once, whatever its message says: 5 of 8 configurations here. A compiler that was
# killed says nothing about the code, which is compiled again: once here.
repository
cat >counting <<'SCRIPT'
#!/bin/sh
case " $* " in *" -c "*) : >"$COUNTS/$$" && printf '%s\n' "$*" | grep -o 'DM=[0-9]' >"$COUNTS/$$" ;; esac
case " $* " in
  *" -DM=3 "*) mkdir "$COUNTS.killed" 2>/dev/null && echo "cc: fatal error: Killed signal terminated program cc1" >&2 && exit 1 ;;
esac
exec cc "$@"
SCRIPT
chmod +x counting
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], compiler: $PWD/counting, params: {M: 1}, tune: {M: [1, 2, 3, 4, 5, 6, 7, 8]}}|" pawl.yaml
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
export COUNTS="$PWD/counts" CCACHE_DISABLE=1
try pawl -q tune scale_cpu --strategy exhaustive --budget 60s
sort counts/* | uniq -c | sed 's/^ *//'
grep "ran longer" perf/out/tune/suggestions.md || echo "no compiler took too long"
