# SPDX-License-Identifier: Apache-2.0
# An input whose time, or whose absence from the list of headers, says nothing: a correct kernel becomes wrong, and
# `check` and `run` compile it again, on a .pawl that is there. So does each command that builds, of which all share the code
# that compiles: the first kind shows it of a kernel, and the operator's of an operator. The last kinds play with both arms
# of `run`.
# Takes long.
# shellcheck source=/dev/null
. "$GOLDEN/loop/stale.inc"
begin "an older time"
older() { sed "s/[0-9] \* x/$1 * x/" kernels/scale_cpu.c >new && touch -d 2001-01-01 new && mv new kernels/scale_cpu.c; }
wrong older bench tune run
begin "a header that __has_include looked for"
factor FACTOR
sed -i '1i #if __has_include("tuned.h")\n#include "tuned.h"\n#else\n#define FACTOR 2\n#endif' kernels/scale_cpu.c
appears() { if [ "$1" = 2 ]; then rm -f kernels/tuned.h; else echo "#define FACTOR $1" >kernels/tuned.h; fi; }
wrong appears run
begin "a header in an earlier folder"
factor FACTOR
sed -i '1i #include "factor.h"' kernels/scale_cpu.c
mkdir a b
echo '#define FACTOR 2' >b/factor.h
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, include_dirs: [a, b]|' pawl.yaml
earlier() { if [ "$1" = 2 ]; then rm -f a/factor.h; else echo "#define FACTOR $1" >a/factor.h; fi; }
wrong earlier run
begin "a header outside the tree, found by CPATH"
factor FACTOR
sed -i '1i #include <factor.h>' kernels/scale_cpu.c
rm -rf "$SCRATCH/a" "$SCRATCH/b"
mkdir "$SCRATCH/a" "$SCRATCH/b"
echo '#define FACTOR 2' >"$SCRATCH/b/factor.h"
outside() { (cd "$SCRATCH" && earlier "$1"); }
export CPATH="$SCRATCH/a:$SCRATCH/b"
wrong outside run
unset CPATH
begin ".incbin"
factor factor
sed -i '1i __asm__(".section .rodata\\n.balign 4\\nfactor: .incbin \\"kernels/factor.bin\\"\\n.text");\nextern const float factor __attribute__((visibility("hidden")));' kernels/scale_cpu.c
binary() { python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<f", float(sys.argv[1])))' "$1" >kernels/factor.bin; }
wrong binary run
begin ".include of a source in assembler, which git ignores"
factor 'factor()'
sed -i '1i float factor(void);' kernels/scale_cpu.c
cat >kernels/factor.s <<'CODE'
	.text
	.globl factor
factor:
	movss value(%rip), %xmm0
	ret
	.section .rodata
	.balign 4
value:	.include "kernels/value.inc"
	.section .note.GNU-stack,"",@progbits
CODE
sed -i 's|sources: \[kernels/scale_cpu.c\]|sources: [kernels/scale_cpu.c, kernels/factor.s]|' pawl.yaml
include() { echo ".float $1" >kernels/value.inc; }
wrong include run
begin "a library that -L finds, which git ignores"
factor 'factor()'
sed -i '1i float factor(void);' kernels/scale_cpu.c
library() {
  echo "float factor(void) { return $1; }" >factor.c
  rm -f libfactor.a
  gcc -O2 -fPIC -c factor.c -o "$SCRATCH/factor.o"
  ar rcs libfactor.a "$SCRATCH/factor.o"
}
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, flags: [-O2, -L.], libs: [factor]|' pawl.yaml
wrong library run
begin "a response file in a response file"
factor FACTOR
echo @inner.txt >outer.txt
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, flags: [-O2, "@outer.txt"]|' pawl.yaml
response() { echo "-DFACTOR=$1" >inner.txt; }
wrong response run
begin "CCC_OVERRIDE_OPTIONS of clang"
if command -v clang >/dev/null; then
  factor FACTOR
  sed -i 's|sources: \[kernels/scale_cpu.c\]|&, compiler: clang|' pawl.yaml
  override() { export CCC_OVERRIDE_OPTIONS="+-DFACTOR=$1"; }
  wrong override run
  unset CCC_OVERRIDE_OPTIONS
else
  sed -n '/^-- CCC_OVERRIDE/,/^-- an operator/{/^--/!p}' "$GOLDEN/loop/stale.stdout"
fi
begin "an operator"
operator() { sed "s/= [0-9] \*/= $1 */" operators/scale.c >new && touch -d 2001-01-01 new && mv new operators/scale.c; }
wrong operator bench tune # `run` has the operator of HEAD as its judge, and says so
begin "the output of a build command"
sed -i 's|sources: .*}}|build: {command: [sh, build.sh], output: k.so}}|' pawl.yaml
# shellcheck disable=SC2016  # the build command expands it
echo 'gcc -O2 -DPAD=0 -shared -fPIC -I"$PAWL_INCLUDE_DIR" -fno-strict-aliasing -o k.so kernels/scale_cpu.c; touch -d 2001-01-01 k.so' >build.sh
wrong older run
begin "a build command that decides by times"
sed -i 's|sources: .*}}|build: {command: [sh, build.sh], output: k.so}}|' pawl.yaml
# shellcheck disable=SC2016  # the build command expands it
echo '[ k.so -nt kernels/scale_cpu.c ] || gcc -O2 -DPAD=0 -shared -fPIC -I"$PAWL_INCLUDE_DIR" -o k.so kernels/scale_cpu.c' >build.sh
wrong older run
begin "both arms: an older time"
pawl -q build >/dev/null
older 3
git commit -qam "Wrong"
quiet pawl -q run --against HEAD~1
begin "both arms: back to what was right"
older 3
git commit -qam "Wrong"
pawl -q build >/dev/null
git revert --no-edit HEAD >/dev/null
pawl -q run --against HEAD~2 | head -1
