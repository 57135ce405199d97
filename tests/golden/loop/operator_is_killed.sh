# SPDX-License-Identifier: Apache-2.0
# An operator that a signal ends or stops is the victim, by name: it is no fault of the kernel.
repository
cp operators/scale.c scale.c
sed -i 's/timeout: 30s/timeout: 0.1s/' pawl.yaml
for signal in SIGKILL SIGSTOP; do
  sed "s/^  const int64_t n = .*/&\n  raise($signal);/; 1,/#include/s/#include/#include <signal.h>\n#include/" scale.c >operators/scale.c
  commit "$signal"
  try pawl check --case tiny
done
