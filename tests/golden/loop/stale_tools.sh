# SPDX-License-Identifier: Apache-2.0
# A part of the compiler that is replaced alone, on a .pawl that is there: a correct kernel becomes wrong, and `check` and
# `run` compile it again. The preprocessor's output stays the same.
# Takes long.
# shellcheck source=/dev/null
. "$GOLDEN/loop/stale.inc"
begin "cc1, found by COMPILER_PATH"
factor FACTOR
cc1=$(gcc -print-prog-name=cc1)
mkdir "$SCRATCH/parts"
part() {
  cat >"$SCRATCH/parts/cc1" <<CODE
#!/bin/sh
case " \$* " in *" -E "*) exec $cc1 "\$@" ;; esac
exec $cc1 "\$@" -DFACTOR=$1
CODE
  chmod +x "$SCRATCH/parts/cc1"
}
export COMPILER_PATH="$SCRATCH/parts"
wrong part run
begin "the linker that collect2 finds"
rm "$SCRATCH/parts/cc1"
factor 'factor()'
sed -i '1i float factor(void);' kernels/scale_cpu.c
linker() {
  echo "float factor(void) { return $1; }" | gcc -x c -O2 -fPIC -c - -o "$SCRATCH/parts/$1.o"
  # shellcheck disable=SC2016  # the script expands it
  printf '#!/bin/sh\nexec /usr/bin/ld "$@" %s\n' "$SCRATCH/parts/$1.o" >"$SCRATCH/parts/ld"
  chmod +x "$SCRATCH/parts/ld"
}
wrong linker run
unset COMPILER_PATH
begin "a library that the compiler loads"
factor FACTOR
mkdir -p "$SCRATCH/mine/bin" "$SCRATCH/mine/lib"
loaded() { echo "const char *factor(void) { return \"-DFACTOR=$1\"; }" | gcc -x c -shared -fPIC - -o "$SCRATCH/mine/lib/libfactor.so"; }
loaded 2
cat >"$SCRATCH/mine/cc.c" <<'CODE'
#include <string.h>
#include <unistd.h>
const char *factor(void);
int main(int count, char **words) {
  char *all[count + 2];
  int preprocesses = 0;
  for (int i = 0; i < count; i++) all[i] = words[i], preprocesses |= !strcmp(words[i], "-E");
  all[0] = "gcc", all[count] = preprocesses ? NULL : (char *)factor(), all[count + 1] = NULL;
  return execvp("gcc", all);
}
CODE
# shellcheck disable=SC2016  # the loader expands it
gcc "$SCRATCH/mine/cc.c" -o "$SCRATCH/mine/bin/cc" -L"$SCRATCH/mine/lib" -lfactor '-Wl,-rpath,$ORIGIN/../lib'
sed -i "s|sources: \[kernels/scale_cpu.c\]|&, compiler: $SCRATCH/mine/bin/cc|" pawl.yaml
wrong loaded run
