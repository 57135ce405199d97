# SPDX-License-Identifier: Apache-2.0
# Rows of one kernel and case tell their shapes apart. A series without a value is hidden until somebody names its kernel.
repository
named() { sed 's/^\([a-z_][a-z_]* *[a-z]* *\)[0-9] .*/\1.../; s/ *$//; s/, [A-Z].*//'; }
pawl -q run --against none >/dev/null
sed -i 's/n: 1000,/n: 2000,/; s/^  scale_cpu:.*/&\n  broken: {operator: scale, device: cpu, sources: [kernels\/broken.c]}/' pawl.yaml
echo '#error no' >kernels/broken.c
commit "Take a larger shape"
pawl -q run --against none >/dev/null || echo "exit status $?"
pawl history | named
pawl history broken | sed -n '2p' | named
