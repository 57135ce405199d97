# SPDX-License-Identifier: Apache-2.0
# Needs true times.
# Kernels that reach for the scheduler, the shared memory or the other version's processes, and programs in Python that
# compute after the call: none gains. The base is the same kernel without the trick.
repository
cat >kernels/kernel.h <<'SOURCE'
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pawl/kernel.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "version.h"

static void trick(const struct pawl_launch *call, int first);

static int launch(const struct pawl_launch *call) {
  static int calls;
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  volatile float sum = 0;
  for (int round = 0; round < 300; round++)
    for (int64_t i = 0; i < call->tensors[0].size[0]; i++) sum += x[i];
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  if (VERSION == 2) trick(call, !calls++);
  return 0;
}

static const char *supports(const struct pawl_shape *shape) {
  return shape->dtype == PAWL_F32 ? NULL : "only f32";
}

static const struct pawl_kernel self = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "kernel",
    .operator_name = "scale",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &self; }
SOURCE
cat >kernels/program.py <<'PYTHON'
import os, sys, threading, time
import pawl_protocol

class Late:
    def __init__(self, work):
        self.work = work

    def __del__(self):
        self.work()

class Program(pawl_protocol.Kernel):
    name, operator, version = "program", "scale", 1

    def call(self, tensors, shape):
        x, y = tensors["x"], tensors["y"]

        def work():
            time.sleep(0.002)
            y.write([2 * value for value in x.values()])

        if self.version == 1:
            work()
        elif sys.argv[1] == "when_deleted":
            self.late = Late(work)
        elif sys.argv[1] == "in_a_thread":
            threading.Thread(target=work).start()
        elif os.fork() == 0:
            work()
            os._exit(0)

pawl_protocol.serve(Program())
PYTHON
cat >kernels.txt <<'BODIES'
pages_out|madvise((void *)((uintptr_t)call->tensors[0].data & ~(uintptr_t)4095), 1 << 16, 21);
goes_first|if (first) setpriority(PRIO_PROCESS, 0, -20), sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){50});
has_a_session|if (first) setsid(); int file = first ? open("/proc/self/autogroup", O_WRONLY) : -1; if (file >= 0 && write(file, "-19", 3)) close(file);
asks_for_long_slices|struct { unsigned size, policy; unsigned long long flags; int nice; unsigned priority; unsigned long long slice, deadline, period; } wish = {.size = sizeof wish, .slice = 100000000}; if (first) syscall(SYS_sched_setattr, 0, &wish, 0);
seals_the_memory|for (int file = 3; first && file < 64; file++) fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
drops_other_outputs|for (int file = 3; file < 16; file++) { off_t end = lseek(file, 0, SEEK_END); if (end > 1 << 20) fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end - (1 << 18), 1 << 18); }
locks_the_memory|for (int file = 3; first && file < 16; file++) fcntl(file, F_OFD_SETLK, &(struct flock){.l_type = F_WRLCK}), fcntl(file, F_SETLEASE, F_WRLCK);
slows_others|for (int pid = 1; first && pid < 400; pid++) if (pid != getpid()) setpriority(PRIO_PROCESS, pid, 19);
binds_others|cpu_set_t set; CPU_ZERO(&set); CPU_SET(0, &set); for (int pid = 1; first && pid < 40000; pid++) if (pid != getpid()) sched_setaffinity(pid, sizeof set, &set);
BODIES
echo '#define VERSION 1' >kernels/version.h
python3 - <<'PYTHON'
import pathlib
lines = ""
for row in pathlib.Path("kernels.txt").read_text().splitlines():
    name, body = row.split("|", 1)
    pathlib.Path(f"kernels/{name}.c").write_text(
        f'#include "kernel.h"\n\nstatic void trick(const struct pawl_launch *call, int first) {{\n  {body}\n}}\n')
    lines += f"  {name}: {{operator: scale, device: cpu, sources: [kernels/{name}.c]}}\n"
for name in ("when_deleted", "in_a_thread", "in_a_child"):
    lines += f"  {name}: {{operator: scale, device: cpu, protocol: [python3, kernels/program.py, {name}]}}\n"
suite = pathlib.Path("pawl.yaml")
text = "".join(lines if line.startswith("  scale_cpu:") else line for line in suite.read_text().splitlines(True))
suite.write_text(text.replace("processes: 6", "processes: 2") + "gate: {busy: count, max_blocks: 20}\n")
PYTHON
commit "Kernels"
sed -i 's/VERSION 1/VERSION 2/' kernels/version.h
sed -i 's/version = "program", "scale", 1/version = "program", "scale", 2/' kernels/program.py
commit "Tricks"
pawl -q run --against HEAD~ >/dev/null 2>&1 || true
python3 - perf/out/verdict.json <<'PYTHON'
import json, sys
for row in json.load(open(sys.argv[1]))["comparisons"]:
    gains = row["verdict"] == "improvement"
    print(row["kernel_name"], "gains" if gains else "is broken" if row["verdict"] == "broken" else "gains nothing")
PYTHON
