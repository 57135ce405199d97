# SPDX-License-Identifier: Apache-2.0
# Code that does not compile is compiled once: 5 of 8 configurations here.
repository
cat >counting <<'SCRIPT'
#!/bin/sh
case " $* " in *" -c "*) : >"$COUNTS/$$" && printf '%s\n' "$*" | grep -o 'DM=[0-9]' >"$COUNTS/$$" ;; esac
exec cc "$@"
SCRIPT
chmod +x counting
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], compiler: $PWD/counting, params: {M: 1}, tune: {M: [1, 2, 3, 4, 5, 6, 7, 8]}}|" pawl.yaml
sleeps 5
printf '#if M > 3\n#error "M is too large"\n#endif\n' >>kernels/scale_cpu.c
mkdir counts
export COUNTS="$PWD/counts" CCACHE_DISABLE=1
try pawl -q tune scale_cpu --strategy exhaustive --budget 60s
sort counts/* | uniq -c | sed 's/^ *//'
