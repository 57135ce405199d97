# SPDX-License-Identifier: Apache-2.0
# The compiler's sanitizers and valgrind name the line of each fault of a CPU kernel, and nothing in a kernel without one.
# Needs a pawl without a sanitizer.
# Takes long.
repository
sed -i '1i #include <pthread.h>\n#include <stdlib.h>' kernels/scale_cpu.c
sed -i 's/^static int launch/static int counter;\nstatic void *count(void *p) {\n  for (int i = 0; i < 1000; i++) counter++;\n  return p;\n}\n\n&/' kernels/scale_cpu.c
cp kernels/scale_cpu.c "$SCRATCH/good.c"
# fault NAME TOOL CODE: the tool's findings in a kernel whose launch begins with the code
fault() {
  echo "== $1"
  awk -v code="$3" '/for \(int64_t i/ { print "  " code } { print }' "$SCRATCH/good.c" >kernels/scale_cpu.c
  try pawl -q check --sanitize "$2"
}
fault "reads past its input" address,memory 'volatile float past = x[n]; (void)past;'
fault "writes past its output" address 'y[n] = 1;'
fault "reads what nobody wrote" memory 'if (y[0] > 3) y[0] = 1;'
fault "leaks" address,memory '*(volatile char *)malloc(64) = 1;'
fault "overflows" undefined 'volatile int large = 2147483647; large = large + (int)n;'
fault "races" thread 'pthread_t t; pthread_create(&t, NULL, count, NULL); count(NULL); pthread_join(t, NULL);'
cp "$SCRATCH/good.c" kernels/scale_cpu.c
echo "== no fault"
try pawl check --sanitize all
try pawl check --sanitize memcheck
try pawl check --sanitize adress
