# SPDX-License-Identifier: Apache-2.0
# A -D that no source reads is refused: its measurement would be that of the same code. Headers are read, words are whole.
repository
sed -i 's/\(scale_cpu: .*\)}/\1, params: {BLOCK: 4}, include_dirs: [include]}/' pawl.yaml
mkdir -p include
printf '#pragma once\n#include "deep.h"\n' >include/direct.h
printf '#pragma once\n#define USED (BLOCK + DEEP)\n#include "direct.h"\n' >include/deep.h
sed -i '1s/^/#  include <direct.h>\n/' kernels/scale_cpu.c
commit "Have headers"
try pawl build -D BLOK=8
try pawl bench -D DEE=8
try pawl check scale_cpu -D NOBODY=1
quiet pawl -q build -D DEEP=8 -D BLOCK=2
quiet pawl -q check --reduced -D NDEBUG=1 -D _PRIVATE=1
