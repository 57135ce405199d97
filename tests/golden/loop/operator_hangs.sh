# SPDX-License-Identifier: Apache-2.0
# An operator that hangs is ended after ten times the limit of a kernel's request. It is no fault of the kernel.
repository
sed -i 's/timeout: 30s/timeout: 0.1s/' pawl.yaml
sed -i 's/^  const int64_t n = .*/&\n  for (volatile int go = 1; go;) {}/' operators/scale.c
commit "Break the operator"
try pawl check --case tiny
