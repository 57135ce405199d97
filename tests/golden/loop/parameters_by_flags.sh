# SPDX-License-Identifier: Apache-2.0
# A parameter counts as read where the compiler's own list has a file that reads it: by -I, -include, a macro in an include
# directive, or in a flag.
repository
mkdir cfg
echo '#define FACTOR (TILE / 8)' >cfg/factor.h
sed -i 's/2 \* x\[i\]/FACTOR * x[i]/' kernels/scale_cpu.c
cp kernels/scale_cpu.c "$SCRATCH/plain.c"
cp pawl.yaml "$SCRATCH/plain.yaml"
built() { pawl build --json "$@" 2>"$SCRATCH/err" | grep -c '"outcome": "ok"' || true; cat "$SCRATCH/err"; }
with() { # with FLAGS: the flags of the kernel
  sed "s|sources: \[kernels/scale_cpu.c\]|&, params: {TILE: 16}, flags: [$1]|" "$SCRATCH/plain.yaml" >pawl.yaml
  built -D TILE=32
}
echo "-- -I"
sed -i '1i #include <factor.h>' kernels/scale_cpu.c
with '-Icfg'
echo "-- #include MACRO"
sed -i '1s/.*/#define HEADER "..\/cfg\/factor.h"\n#include HEADER/' kernels/scale_cpu.c
with '-O2'
cp "$SCRATCH/plain.c" kernels/scale_cpu.c
echo "-- -include"
with '-include, cfg/factor.h'
echo "-- a flag"
with '-DFACTOR=TILE'
echo "-- nothing reads it"
try pawl build -D TILF=32
