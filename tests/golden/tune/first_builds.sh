# SPDX-License-Identifier: Apache-2.0
# The first question is built beside the current parameters: each compilation waits until another one has begun.
repository
cat >meet <<'SCRIPT'
#!/bin/sh
case " $* " in *" -c "*) ;; *) exec cc "$@" ;; esac
mkdir -p "$MEETING"
: >"$MEETING/$$"
waited=0
while [ "$(find "$MEETING" -type f | wc -l)" -lt 2 ] && [ "$waited" -lt 200 ]; do
  sleep 0.05
  waited=$((waited + 1))
done
[ "$waited" -lt 200 ] || : >"$MEETING.alone"
exec cc "$@"
SCRIPT
chmod +x meet
sed -i "s|^measure: {|&isolation: off, |; s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], compiler: $PWD/meet, params: {M: 1}, tune: {M: [1, 2, 3]}}|" pawl.yaml
if [ "$(nproc)" -lt 2 ]; then mkdir -p met && : >met/1 && : >met/2; fi # one CPU builds one after another
export MEETING="$PWD/met"
try pawl -q tune scale_cpu --strategy exhaustive --budget 0.001s
[ -e met.alone ] && echo "a compilation was alone"
[ "$(find met -type f | wc -l)" -ge 2 ] && echo "met"
