# SPDX-License-Identifier: Apache-2.0
# An input whose time, or whose absence from the list of headers, says nothing: a correct kernel becomes wrong, and pawl
# compiles it again. Each kind plays on a .pawl that is there, for `check`; the last kinds play with both arms of `run`.
repository
printf '.pawl\nperf/out\n*.a\n*.inc\n' >.gitignore
commit "Ignore"
pawl -q check >/dev/null
cd ..
begin() { # begin KIND: a copy of the repository, with its .pawl
  echo "-- $1"
  rm -rf "$SCRATCH/kind"
  cp -a "$SCRATCH/work" "$SCRATCH/kind"
  cd "$SCRATCH/kind"
}
factor() { sed -i "s/2 \* x\[i\]/$1 * x[i]/" kernels/scale_cpu.c; }
wrong() { # right, the change, wrong
  pawl -q check 2>&1 | grep passed
  "$@"
  pawl -q check 2>&1 | grep passed
}
begin "an older time"
older() { sed 's/2 \* x/3 * x/' kernels/scale_cpu.c >new && touch -d 2001-01-01 new && mv new kernels/scale_cpu.c; }
wrong older
begin "a header that __has_include looked for"
factor FACTOR
sed -i '1i #if __has_include("tuned.h")\n#include "tuned.h"\n#else\n#define FACTOR 2\n#endif' kernels/scale_cpu.c
appears() { echo '#define FACTOR 3' >kernels/tuned.h; }
wrong appears
begin "a header in an earlier folder"
factor FACTOR
sed -i '1i #include "factor.h"' kernels/scale_cpu.c
mkdir a b
echo '#define FACTOR 2' >b/factor.h
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, include_dirs: [a, b]|' pawl.yaml
earlier() { echo '#define FACTOR 3' >a/factor.h; }
wrong earlier
begin "a header outside the tree, found by CPATH"
factor FACTOR
sed -i '1i #include <factor.h>' kernels/scale_cpu.c
rm -rf "$SCRATCH/a" "$SCRATCH/b"
mkdir "$SCRATCH/a" "$SCRATCH/b"
echo '#define FACTOR 2' >"$SCRATCH/b/factor.h"
outside() { echo '#define FACTOR 3' >"$SCRATCH/a/factor.h"; }
export CPATH="$SCRATCH/a:$SCRATCH/b"
wrong outside
unset CPATH
begin ".incbin"
factor factor
sed -i '1i __asm__(".section .rodata\\n.balign 4\\nfactor: .incbin \\"kernels/factor.bin\\"\\n.text");\nextern const float factor __attribute__((visibility("hidden")));' kernels/scale_cpu.c
printf '\0\0\0\100' >kernels/factor.bin
binary() { printf '\0\0\100\100' >kernels/factor.bin; }
wrong binary
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
echo '.float 2' >kernels/value.inc
sed -i 's|sources: \[kernels/scale_cpu.c\]|sources: [kernels/scale_cpu.c, kernels/factor.s]|' pawl.yaml
include() { echo '.float 3' >kernels/value.inc; }
wrong include
begin "a library that -L finds, which git ignores"
factor 'factor()'
sed -i '1i float factor(void);' kernels/scale_cpu.c
library() {
  echo "float factor(void) { return $1; }" >factor.c
  rm -f libfactor.a
  gcc -O2 -fPIC -c factor.c -o "$SCRATCH/factor.o"
  ar rcs libfactor.a "$SCRATCH/factor.o"
}
library 2
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, flags: [-O2, -L.], libs: [factor]|' pawl.yaml
wrong library 3
begin "a response file in a response file"
factor FACTOR
echo -DFACTOR=2 >inner.txt
echo @inner.txt >outer.txt
sed -i 's|sources: \[kernels/scale_cpu.c\]|&, flags: [-O2, "@outer.txt"]|' pawl.yaml
response() { echo -DFACTOR=3 >inner.txt; }
wrong response
begin "CCC_OVERRIDE_OPTIONS of clang"
if command -v clang >/dev/null; then
  factor FACTOR
  sed -i 's|sources: \[kernels/scale_cpu.c\]|&, compiler: clang|' pawl.yaml
  export CCC_OVERRIDE_OPTIONS="+-DFACTOR=2"
  override() { CCC_OVERRIDE_OPTIONS="+-DFACTOR=3"; }
  wrong override
  unset CCC_OVERRIDE_OPTIONS
else
  printf 'scale_cpu: 4 of 4 passed\nscale_cpu: 0 of 4 passed\n'
fi
begin "an operator"
operator() { sed 's/= 2 \*/= 3 */' operators/scale.c >new && touch -d 2001-01-01 new && mv new operators/scale.c; }
wrong operator
begin "the output of a build command"
sed -i 's|sources: \[kernels/scale_cpu.c\]|build: {command: [sh, build.sh], output: k.so}|' pawl.yaml
# shellcheck disable=SC2016  # the build command expands it
echo 'gcc -O2 -shared -fPIC -I"$PAWL_INCLUDE_DIR" -fno-strict-aliasing -o k.so kernels/scale_cpu.c; touch -d 2001-01-01 k.so' >build.sh
wrong older
begin "a build command that decides by times"
sed -i 's|sources: \[kernels/scale_cpu.c\]|build: {command: [sh, build.sh], output: k.so}|' pawl.yaml
# shellcheck disable=SC2016  # the build command expands it
echo '[ k.so -nt kernels/scale_cpu.c ] || gcc -O2 -shared -fPIC -I"$PAWL_INCLUDE_DIR" -o k.so kernels/scale_cpu.c' >build.sh
wrong older
begin "both arms: an older time"
pawl -q build >/dev/null
older
git commit -qam "Wrong"
quiet pawl -q run --against HEAD~1
begin "both arms: back to what was right"
older
git commit -qam "Wrong"
pawl -q build >/dev/null
git revert --no-edit HEAD >/dev/null
pawl -q run --against HEAD~2 | head -1
