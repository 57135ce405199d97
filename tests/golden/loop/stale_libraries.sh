# SPDX-License-Identifier: Apache-2.0
# A library of the tree changes, with the same build id or with another. The plug-ins of both versions lie in the cache of the
# change, from where $ORIGIN finds the library of the change.
# Takes long.
# shellcheck source=/dev/null
. "$GOLDEN/loop/stale.inc"
make() { # make BODY FLAG [FOLDER]
  mkdir -p lib "${3:-lib}"
  echo "float factor(void) { $1 }" | gcc -shared -fPIC -x c - -o "${3:-lib}/libk.so" -Wl,-soname,libk.so "$2"
}
library() { # library KIND BODY FLAG [FOLDER]: a kernel of a library, whose body changes, or that gets one in an earlier folder
  begin "$1"
  factor 'factor()'
  sed -i '1i float factor(void);' kernels/scale_cpu.c
  # shellcheck disable=SC2016
  sed -i 's|params: {PAD: 0}|flags: [-O1, -Llib, "-Wl,-rpath,$ORIGIN/../../../first:$ORIGIN/../../../lib:/pawl/tree/first:/pawl/tree/lib"], libs: [k], &|' pawl.yaml
  make "return 2;" "$3"
  commit "Have a library"
  try pawl -q run --against HEAD
  make "$2" "$3" "${4:-lib}"
  commit "Change it"
}
library "a library keeps its build id" "return 3;" -Wl,--build-id=0x1234567890123456789012345678901234567890
quiet pawl -q run --against HEAD~1
library "a library is other code, and right" "volatile int i = 2; return i;" -Wl,--build-id
pawl -q diff HEAD~1 scale_cpu | head -1
library "a library appears in an earlier folder" "volatile int i = 2; return i;" -Wl,--build-id first
pawl -q diff HEAD~1 scale_cpu | head -1
begin "a library that pawl copies beside the plug-in"
factor 'factor()'
sed -i '1i float factor(void);' kernels/scale_cpu.c
sed -i 's|params: {PAD: 0}|libs: [lib/libk.so], &|' pawl.yaml
make "return 2;" -Wl,--build-id
commit "Have a library"
git commit -q --allow-empty -m "Change nothing"
pawl -q diff HEAD~1 scale_cpu | head -1
make "volatile int i = 2; return i;" -Wl,--build-id
commit "Change it"
pawl -q diff HEAD~1 scale_cpu | head -1
begin "a header of a kernel that compiles when it runs"
factor 'nvrtcCompileProgram()'
sed -i '1i int nvrtcCompileProgram(void);' kernels/scale_cpu.c
sed -i 's|params: {PAD: 0}|libs: [lib/libnvrtc.so], &|' pawl.yaml
mkdir -p lib
echo 'int nvrtcCompileProgram(void) { return 2; }' | gcc -shared -fPIC -x c - -o lib/libnvrtc.so -Wl,-soname,libnvrtc.so
echo 1 >kernels/used.cuh
commit "Have a header"
echo 2 >kernels/used.cuh
commit "Change it"
quiet pawl -q run --against HEAD~1
field perf/out/verdict.json comparisons.0.paired.identical_code
quiet pawl -q run --against HEAD
field perf/out/verdict.json comparisons.0.paired.identical_code
