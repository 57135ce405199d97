# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Inputs that flags hide from the lists of compilers and linker, and files in folders that no walk of the tree enters.
# shellcheck source=/dev/null
. "$GOLDEN/loop/stale.inc"
suite() { sed -i "s|sources: \\[kernels/scale_cpu.c\\]|&, $1|" pawl.yaml; }
include() { sed -i "1i #include $1" kernels/scale_cpu.c; }
begin "-MMD leaves headers of the system out of the list"
factor FACTOR
include '<factor.h>'
mkdir "$SCRATCH/system"
system() { echo "#define FACTOR $1" >"$SCRATCH/system/factor.h"; }
suite "flags: [-O2, -MMD, -isystem, $SCRATCH/system]"
wrong system run
begin "a compiled header that is not in the list"
sed -i 1d kernels/scale_cpu.c
factor 'factor()'
include '<made/factor.h>'
echo 'const int pad = PAD;' >>kernels/scale_cpu.c
mkdir -p folder/made
echo '#error the compiler uses the compiled form' >folder/made/factor.h
suite 'flags: [-O2, -Ifolder]'
flags="-O2 -fPIC -Wno-builtin-macro-redefined -DPAD=0"
compiled() {
  echo "static float factor(void) { return $1; }" >"$SCRATCH/factor.h"
  # shellcheck disable=SC2086  # words
  gcc $flags '-D__TIMESTAMP__="Thu Jan  1 00:00:00 1970"' -x c-header "$SCRATCH/factor.h" -o folder/made/factor.h.gch
}
wrong compiled run
begin "a script of the linker that another one includes"
factor '(float)(unsigned long)\&factor'
sed -i '1i extern char factor;' kernels/scale_cpu.c
mkdir libraries
echo 'INCLUDE "kernels/inner.ld"' >kernels/outer.ld
echo 'INCLUDE value.ld' >kernels/inner.ld
script() { echo "factor = $1;" >libraries/value.ld; }
suite 'flags: [-O2, -MP, -MT, name, -Llibraries], libs: [kernels/outer.ld]'
wrong script run
begin "a header that appears in a hidden folder"
factor FACTOR
mkdir .made
sed -i '1i #if __has_include("../.made/tuned.h")\n#include "../.made/tuned.h"\n#else\n#define FACTOR 2\n#endif' kernels/scale_cpu.c
hidden() { if [ "$1" = 2 ]; then rm -f .made/tuned.h; else echo "#define FACTOR $1" >.made/tuned.h; fi; }
wrong hidden run
begin "a folder of the assembler"
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
value:	.include "value.inc"
	.section .note.GNU-stack,"",@progbits
CODE
mkdir .values
sed -i 's|sources: \[kernels/scale_cpu.c\]|sources: [kernels/scale_cpu.c, kernels/factor.s], flags: [-O2, "-Wa,-I.values"]|' pawl.yaml
value() { echo ".float $1" >.values/value.inc; }
wrong value run
begin "a suite below the top: a header appears above it"
mkdir below
git mv pawl.yaml kernels operators below/
cd below
factor FACTOR
sed -i '1i #if __has_include("../../tuned.h")\n#include "../../tuned.h"\n#else\n#define FACTOR 2\n#endif' kernels/scale_cpu.c
above() { if [ "$1" = 2 ]; then rm -f ../tuned.h; else echo "#define FACTOR $1" >../tuned.h; fi; }
wrong above run
begin "a build command that decides by times, and a header in a hidden folder"
factor FACTOR
include '"../.made/factor.h"'
mkdir .made
sed -i 's|sources: .*}}|build: {command: [make, -s], output: k.so}}|' pawl.yaml
# shellcheck disable=SC2016  # make expands it
printf 'k.so: kernels/scale_cpu.c .made/factor.h\n\tgcc -O2 -DPAD=0 -shared -fPIC -I$(PAWL_INCLUDE_DIR) -o k.so kernels/scale_cpu.c\n' >Makefile
made() { echo "#define FACTOR $1" >new && touch -d 2001-01-01 new && mv new .made/factor.h; }
wrong made
