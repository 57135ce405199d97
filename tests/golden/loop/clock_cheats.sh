# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels that take 200 us, and have their process's clock say less: pawl watches some calls with its own.
repository
# pawl watches one of two processes by chance, and a busy machine hides some of these. If it hides 60 %, all of 60
# processes pass once in 10^5 runs. With several calls in each, the load between two clocks accuses no honest kernel.
sed -i 's/samples: 12, processes: 6/samples: 240, processes: 60/' pawl.yaml
honest=$(cat kernels/scale_cpu.c)
# cheat NAME BEFORE-LAUNCH AT-BEGIN: the kernel with this code
cheat() {
  python3 - "$honest" "$2" "$3" <<'PYTHON'
import sys
from pathlib import Path
text, before, begin = sys.argv[1:]
work = """static int works(const struct pawl_launch *call) {
  for (volatile int i = 0; i < 400000; i = i + 1) {
  }
"""
at = text.index("static int launch")
body = text[at:].split("\n", 1)[1]
head, rest = body.split("\n}\n", 1)
Path("kernels/scale_cpu.c").write_text(
    "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n"
    "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n" + text[:at] + work + head + "\n}\n" + before +
    "\nstatic int launch(const struct pawl_launch *call) {\n" + begin + "\n}\n" + rest)
PYTHON
  pawl -q --json bench >"$SCRATCH/bench.json" || echo "(exit status $?)"
  echo "$1"
  field "$SCRATCH/bench.json" results.0.outcome
  field "$SCRATCH/bench.json" results.0.reason | sed 's/[0-9.e-]* ms/N ms/g'
}
slow_clock='static int half(clockid_t clock, struct timespec *now) {
  static long long first;
  syscall(SYS_clock_gettime, clock, now);
  const long long ns = now->tv_sec * 1000000000ll + now->tv_nsec;
  if (!first) first = ns;
  const long long said = first + (ns - first) / 3;
  now->tv_sec = said / 1000000000;
  now->tv_nsec = said % 1000000000;
  return 0;
}'
cheat "an honest kernel" "" "  return works(call);"
cheat "a patched clock" "$slow_clock
static void patch(void) {
  static int once;
  unsigned char jump[12] = {0x48, 0xb8};
  void *to = (void *)half, *at = (void *)clock_gettime;
  if (once++) return;
  memcpy(jump + 2, &to, 8);
  jump[10] = 0xff, jump[11] = 0xe0;
  mprotect((void *)((unsigned long)at & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(at, jump, sizeof jump);
}" "  patch();
  return works(call);"
pawl -q --json bench --samples 60 >"$SCRATCH/bench.json" || echo "(exit status $?)"
echo "the same with one call a process, where pawl wants two processes to say so"
field "$SCRATCH/bench.json" results.0.outcome
cheat "the worker executed again" "$slow_clock
__attribute__((visibility(\"default\"))) int clock_gettime(clockid_t clock, struct timespec *now) { return half(clock, now); }
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void again(void) {
  Dl_info here;
  if (getenv(\"AGAIN\") || !dladdr((void *)half, &here)) return;
  setenv(\"AGAIN\", \"1\", 1);
  setenv(\"LD_PRELOAD\", here.dli_fname, 1);
  char program[4096] = \"\", plugin[4096];
  if (readlink(\"/proc/self/exe\", program, sizeof program - 1) < 0) return;
  snprintf(plugin, sizeof plugin, \"%s\", here.dli_fname);
  for (int fd = 16, to = 3; fd < 2000 && to < 6; fd++)
    if (fcntl(fd, F_GETFD) >= 0) dup2(fd, to++);
  char *argv[] = {program, \"kernel\", plugin, NULL};
  execv(program, argv);
}" "  return works(call);"
cheat "outputs written when they are read" 'static struct later {
  struct pawl_launch call;
  struct pawl_tensor tensors[2];
  char *begin;
} all[16];
static void on_fault(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  for (int i = 0; i < 16; i++) {
    struct later *one = &all[i];
    if ((char *)info->si_addr < one->begin || (char *)info->si_addr >= one->begin + 8192) continue;
    mprotect(one->begin, 8192, PROT_READ | PROT_WRITE);
    works(&one->call);
    return;
  }
  _exit(3);
}' '  static int calls;
  struct later *one = NULL;
  char *begin = (char *)((unsigned long)call->tensors[1].data & ~4095ul);
  for (int i = 0; i < 16 && !one; i++)
    if (all[i].begin == begin) one = &all[i];
  if (!one) one = &all[calls++];
  *one = (struct later){.call = *call, .begin = begin};
  memcpy(one->tensors, call->tensors, sizeof one->tensors);
  one->call.tensors = one->tensors;
  sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
  mprotect(begin, 8192, PROT_NONE);
  return 0;'
git checkout -q kernels/scale_cpu.c
cat >cheat.py <<'PYTHON'
import time
import pawl_protocol

class Cheat(pawl_protocol.Kernel):
    name, operator, deterministic = "cheat", "scale", True

    def call(self, tensors, shape):
        x, y = (tensors[n].buffer.cast("f") for n in ("x", "y"))
        for i in range(shape["n"]):
            y[i] = 2 * x[i]

true, start = time.perf_counter_ns, time.perf_counter_ns()
time.perf_counter_ns = lambda: start + (true() - start) // 1000
pawl_protocol.serve(Cheat())
PYTHON
sed -i 's/scale_cpu: .*/cheat: {operator: scale, device: cpu, protocol: [python3, cheat.py]}/' pawl.yaml
pawl -q --json bench >"$SCRATCH/bench.json" || echo "(exit status $?)"
echo "another clock in Python"
field "$SCRATCH/bench.json" results.0.outcome
field "$SCRATCH/bench.json" results.0.reason | sed 's/[0-9.e-]* ms/N ms/g'
