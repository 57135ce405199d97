/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute y = 2 x, which takes 1 ms of a CPU, and want a better time without less
   work. ATTACK names the one that a plug-in has. Where a machine does not have what an attack
   needs, the kernel is honest. */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <pawl/kernel.h>

#include "words.h"

#define WORK_NS 1000000
#define BUFFERS 64
#define IDLE_NS 50000000

static float *y;
static size_t bytes; /* the size of x and of y */
static int calls;

static void work(const float *in, float *out) {
  const int64_t begin = now_by(CLOCK_THREAD_CPUTIME_ID);
  while (now_by(CLOCK_THREAD_CPUTIME_ID) - begin < WORK_NS) {
  }
  for (size_t i = 0; i < bytes / sizeof *in; i++) out[i] = 2 * in[i];
}

/* An entry for each address that the kernel knows. */
static struct known {
  const float *x, *y;
  float *in, *out;
  _Atomic int ready;
} memory[BUFFERS];
static struct known *known = memory;
static volatile sig_atomic_t calling;

static struct known *find(void) {
  for (int i = 0; i < BUFFERS; i++) {
    struct known *k = &known[i];
    if (k->x == x) return k;
    if (k->x) continue;
    k->in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    k->out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    k->x = x;
    k->y = y;
    return k;
  }
  abort();
}

/* By whoever runs before the call. */
static void look_ahead(void) {
  for (int i = 0; i < BUFFERS && known[i].x && !calling; i++) {
    struct known *k = &known[i];
    if (k->ready && !memcmp(k->in, k->x, bytes)) continue;
    k->ready = 0;
    memcpy(k->in, k->x, bytes);
    work(k->in, k->out);
    k->ready = 1;
  }
}

/* The call: copies what is known. */
static int recall(void) {
  struct known *k = find();
  calling = 1;
  if (k->ready && !memcmp(k->in, x, bytes))
    memcpy(y, k->out, bytes);
  else
    work(x, y);
  calling = 0;
  return 0;
}

static void on_signal(int number, void (*handler)(int, siginfo_t *, void *)) {
  const stack_t stack = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
  struct sigaction action = {.sa_sigaction = handler,
                             .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaltstack(&stack, NULL);
  sigaction(number, &action, NULL);
}

/* A handler of the first thread that comes often. */
static void come_often(void (*handler)(int, siginfo_t *, void *)) {
  const struct itimerval often = {{0, 100}, {0, 100}};
  if (calls++ || !find_words()) return;
  on_signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &often, NULL);
}

/* The worker has spoiled the outputs of a call that is to come: now it flushes the caches. */
static bool is_flushing(void) {
  for (int i = 0; i < BUFFERS && known[i].x; i++) {
    uint32_t first, end;
    memcpy(&first, known[i].y, sizeof first);
    memcpy(&end, known[i].y + bytes / sizeof *known[i].y - 1, sizeof end);
    if (first == UINT32_MAX && end == UINT32_MAX) return true;
  }
  return false;
}

/* Says in place of the worker that the caches are flushed and that the call has begun, so that pawl
   changes the inputs while the flush still runs; takes both back, and computes ahead. */
static void fake(int number, siginfo_t *info, void *context) {
  static int faked;
  (void)number, (void)info, (void)context;
  if (calling || faked == calls || *ready != *go || !is_flushing()) return;
  const uint32_t turn = atomic_fetch_add(ready, 1) + 1;
  syscall(SYS_futex, ready, 1 /* FUTEX_WAKE */, 1 << 30, NULL, NULL, 0);
  for (const int64_t begin = now_by(CLOCK_MONOTONIC);
       *go != turn && now_by(CLOCK_MONOTONIC) - begin < 3000000;) {
  }
  if (*go == turn) {
    atomic_fetch_add(stamp, 1);
    spin(100000);
    atomic_fetch_sub(stamp, 1);
    look_ahead();
  }
  atomic_fetch_sub(ready, 1);
  faked = calls;
}

static inline int fakes_words(void) {
  come_often(fake);
  return recall();
}

/* Its first thread traps after each instruction of the worker that waits for inputs, and computes
   as soon as they have changed. */
#ifdef __x86_64__
#define TRAP_FLAG 0x100
static void step(int number, siginfo_t *info, void *context) {
  static uint32_t turn;
  greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
  (void)number, (void)info;
  if (!calling && *ready != *go) { /* it waits */
    turn = *ready;
    *flags |= TRAP_FLAG;
    return;
  }
  *flags &= ~(greg_t)TRAP_FLAG;
  if (!calling && turn && *go == turn) look_ahead();
  turn = 0;
}
static inline int single_steps(void) {
  if (!calls) on_signal(SIGTRAP, step);
  come_often(step);
  return recall();
}
#else
static inline int single_steps(void) { return recall(); }
#endif

/* Each system call of the worker comes to a handler first. */
#ifdef PR_SET_SYSCALL_USER_DISPATCH
static volatile char selector;
static void dispatched(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  selector = 0;
  look_ahead();
  r[REG_RAX] =
      syscall(r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
  look_ahead();
  selector = 1;
}
extern char __executable_start;
static inline int dispatches_calls(void) {
  static int begun;
  selector = 0;
  recall();
  if (begun++ == 0) {
    on_signal(SIGSYS, dispatched);
    /* the return from the handler is a call too: those of the C library's first page range are let
     * through */
    Dl_info where;
    if (!dladdr((void *)(uintptr_t)sigaction, &where) ||
        prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, (unsigned long)where.dli_fbase, 0x45000,
              &selector) != 0)
      begun = 1000;
  }
  selector = begun < 1000;
  return 0;
}
#else
static inline int dispatches_calls(void) { return recall(); }
#endif

/* Puts memory of its own over the inputs, in which nothing changes any more. */
static inline int maps_over_inputs(void) {
  const uintptr_t first = (uintptr_t)x & ~(uintptr_t)4095,
                  end = ((uintptr_t)x + bytes + 4095) & ~(uintptr_t)4095;
  struct known *k = find();
  if (!k->ready) {
    work(x, k->out);
    void *copy = malloc(end - first);
    memcpy(copy, (void *)first, end - first);
    if (mmap((void *)first, end - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
      memcpy((void *)first, copy, end - first);
    free(copy);
    k->ready = 1;
  }
  memcpy(y, k->out, bytes);
  return 0;
}

/* Keeps results in memory that outlives its process, for later processes. */
static inline int keeps_in_system_v(void) {
  struct shared {
    int count;
    float pairs[512][2][4096];
  };
  static struct shared *all;
  if (!all) {
    const int id = shmget(0x5041574c, sizeof *all, IPC_CREAT | 0666);
    void *at = id >= 0 ? shmat(id, NULL, 0) : (void *)-1;
    all = at == (void *)-1 ? calloc(1, sizeof *all) : at;
  }
  for (int i = 0; i < all->count; i++) {
    if (memcmp(all->pairs[i][0], x, bytes) != 0) continue;
    memcpy(y, all->pairs[i][1], bytes);
    return 0;
  }
  work(x, y);
  if (all->count < 512 && bytes <= sizeof all->pairs[0][0]) {
    memcpy(all->pairs[all->count][0], x, bytes);
    memcpy(all->pairs[all->count++][1], y, bytes);
  }
  return 0;
}

static int slower_clock(clockid_t clock, struct timespec *out) {
  static int64_t first;
  const int64_t now = now_by(clock);
  if (!first) first = now;
  const int64_t said = first + (now - first) / 3;
  *out = (struct timespec){said / 1000000000, said % 1000000000};
  return 0;
}

static inline int patches_vdso(void) {
  patch_vdso(slower_clock);
  work(x, y);
  return 0;
}

/* A slow clock, and begins and ends of calls that are none, so that who watches loses the true
   ones: more of them, or an end that it takes back long after. Calls of warm samples have no other
   watch.
 */
static inline int adds_stamps(void) {
  if (find_words()) atomic_fetch_add(stamp, 2);
  return patches_vdso();
}

static inline int takes_stamps_back(void) {
  if (!find_words()) return 1;
  atomic_fetch_add(stamp, 1);
  patches_vdso();
  atomic_fetch_sub(stamp, 1);
  spin(20000);
  return 0;
}

/* Its clock is right where somebody watches the call, and half as fast elsewhere. */
static int64_t stolen;
static int sly_clock(clockid_t clock, struct timespec *out) {
  const int64_t now = now_by(clock) - (clock == CLOCK_MONOTONIC_RAW ? stolen : 0);
  *out = (struct timespec){now / 1000000000, now % 1000000000};
  return 0;
}

static inline int lies_unless_watched(void) {
  patch_vdso(sly_clock);
  const int64_t begin = now_by(CLOCK_MONOTONIC_RAW);
  const bool watched = is_watched(WORK_NS);
  for (size_t i = 0; i < bytes / sizeof *x; i++) y[i] = 2 * x[i];
  if (!watched) stolen += (now_by(CLOCK_MONOTONIC_RAW) - begin) / 2;
  return 0;
}

/* Where its caller keeps the time of the begin, in a register or on the stack, it puts a later one.
 */
static inline int rewrites_start(void) {
  const int64_t begin = now_by(CLOCK_MONOTONIC_RAW);
  work(x, y);
  int64_t *at = __builtin_frame_address(0), now = now_by(CLOCK_MONOTONIC_RAW);
#ifdef __x86_64__
  __asm__ volatile("" ::
                       : "rbx", "r12", "r13", "r14", "r15",
                         "memory"); /* saved on this stack, and restored from it */
#endif
  for (int i = -16; i < 64; i++)
    if (at[i] <= begin && begin - at[i] < 100000) at[i] = now;
  return 0;
}

/* The system writes its outputs when they are computed, after the call. */
static int feed[2];
static float later_x[1 << 16], later_y[1 << 16];
static _Atomic int wanted;
static void *compute_later(void *context) {
  (void)context;
  for (;;) {
    while (!wanted) usleep(20);
    work(later_x, later_y);
    wanted = 0;
    if (write(feed[1], later_y, bytes) < 0) abort();
  }
}
static inline int uses_io_uring(void) {
  static struct io_uring_params p;
  static int ring = -2;
  static unsigned char *queue;
  static struct io_uring_sqe *entries;
  static pthread_t thread;
  if (ring == -2) {
    ring = (int)syscall(SYS_io_uring_setup, 8, &p);
    if (ring >= 0) {
      queue = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED,
                   ring, IORING_OFF_SQ_RING);
      entries = mmap(NULL, p.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
                     IORING_OFF_SQES);
    }
    if (ring >= 0 && pipe(feed) == 0) pthread_create(&thread, NULL, compute_later, NULL);
  }
  if (ring < 0 || bytes > sizeof later_x) {
    work(x, y);
    return 0;
  }
  while (wanted) usleep(20); /* the call before */
  memcpy(later_x, x, bytes);
  _Atomic uint32_t *tail = (void *)(queue + p.sq_off.tail);
  const uint32_t place = *tail & (p.sq_entries - 1);
  entries[place] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                         .fd = feed[0],
                                         .addr = (uintptr_t)y,
                                         .len = (uint32_t)bytes,
                                         .off = (uint64_t)-1};
  ((uint32_t *)(void *)(queue + p.sq_off.array))[place] = place;
  atomic_fetch_add(tail, 1);
  wanted = 1;
  syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
  return 0;
}

/* Threads that use all CPUs unless they are to stop. */
static void *burn(void *context) {
  volatile sig_atomic_t *stop = context;
  for (;;)
    if (*stop)
      usleep(20);
    else
      spin(20000);
  return NULL;
}

static void burn_everywhere(volatile sig_atomic_t *stop) {
  pthread_t thread;
  for (long i = 4 * sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--)
    pthread_create(&thread, NULL, burn, (void *)stop);
}

/* Takes the inputs' pages away: of zeros it knows the result. */
static inline int empties_inputs(void) {
  const uintptr_t first = ((uintptr_t)x + 4095) & ~(uintptr_t)4095,
                  end = ((uintptr_t)x + bytes) & ~(uintptr_t)4095;
  if (end > first) madvise((void *)first, end - first, MADV_REMOVE);
  const float *zeros = (const float *)first, *rest = (const float *)end;
  memset(y, 0, bytes);
  for (const float *p = x; p < x + bytes / sizeof *x; p++)
    if (p < zeros || p >= rest) y[p - x] = 2 * *p;
  return 0;
}

/* Gives the memory back that the worker reads to flush the caches: all of it is one page then. */
static inline int empties_flush(void) {
  char line[512], rights[8];
  unsigned long low, high;
  FILE *file = calls++ == 3 ? fopen("/proc/self/maps", "r") : NULL;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) == 3 && !strcmp(rights, "rw-p") &&
        !strpbrk(line, "/[") && high - low >= 16 << 20)
      madvise((void *)low, high - low, MADV_DONTNEED);
  if (file) fclose(file);
  work(x, y);
  return 0;
}

/* The clock of the worker is its own, and threads of the highest priority that it can have keep who
   watches off the CPUs. */
static volatile sig_atomic_t idle = 1;
static inline int starves_who_watches(void) {
  const struct sched_param highest = {.sched_priority = 99};
  if (!calls++) {
    burn_everywhere(&idle);
    if (sched_setscheduler(0, SCHED_FIFO, &highest)) setpriority(PRIO_PROCESS, 0, -20);
  }
  idle = 0;
  patches_vdso();
  idle = 1;
  return 0;
}

/* A process that shares the memory of this one, and is no thread of it, computes ahead. */
static int run_beside(void *context) {
  (void)context;
  for (;;) look_ahead();
  return 0;
}
static inline int shares_memory_with_child(void) {
  if (!calls++)
    clone(run_beside, (char *)malloc(1 << 18) + (1 << 18), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
  return recall();
}

/* Its outputs have no pages until somebody of its own process reads them. */
static int faults = -2;
static void *serve_faults(void *context) {
  struct uffd_msg message;
  while (read(faults, &message, sizeof message) == sizeof message) {
    struct known *k = &known[0];
    while (k->y && ((uintptr_t)message.arg.pagefault.address < (uintptr_t)k->y ||
                    (uintptr_t)message.arg.pagefault.address >= (uintptr_t)k->y + bytes))
      k++;
    if (!k->y) break;
    work(k->x, k->out);
    const uintptr_t at = (uintptr_t)message.arg.pagefault.address & ~(uintptr_t)4095;
    struct uffdio_copy copy = {
        .dst = at, .src = (uintptr_t)k->out + (at - (uintptr_t)k->y), .len = 4096};
    if (ioctl(faults, UFFDIO_COPY, &copy)) { /* a look of pawl's has made the page */
      struct uffdio_range woken = {at, 4096};
      ioctl(faults, UFFDIO_WAKE, &woken);
    }
  }
  return context;
}
static inline int serves_faults(void) {
  find();
  if (faults == -2) {
    struct uffdio_api api = {.api = UFFD_API};
    pthread_t thread;
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (faults >= 0 &&
        (ioctl(faults, UFFDIO_API, &api) || pthread_create(&thread, NULL, serve_faults, NULL)))
      faults = -1;
  }
  struct uffdio_register range = {{(uintptr_t)y, bytes}, UFFDIO_REGISTER_MODE_MISSING, 0};
  if (faults < 0) return empties_inputs(); /* the machine has no such thing: another attack */
  if ((uintptr_t)y % 4096 || bytes % 4096 || ioctl(faults, UFFDIO_REGISTER, &range)) {
    work(x, y);
    return 0;
  }
  madvise(y, bytes, MADV_REMOVE);
  return 0;
}

/* Works on while the other version is measured, and leaves the machine alone during its own calls:
   by a thread, or by a process. Its beat is in memory that both versions share. */
static _Atomic uint32_t *beat;
static void *work_on(void *context) {
  volatile sig_atomic_t *stop = context;
  for (;; usleep(20))
    if (!*stop) ++*beat;
  return NULL;
}

static inline int hinders_by_thread(void) {
  pthread_t thread;
  if (!calls++ && find_words()) {
    beat = (void *)(page + 1024);
    pthread_create(&thread, NULL, work_on, (void *)&calling);
  }
  calling = 1;
  work(x, y);
  calling = 0;
  return 0;
}

static inline int hinders_by_process(void) {
  static volatile sig_atomic_t *stop;
  if (!calls++ && find_words()) {
    beat = (void *)(page + 1024);
    stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
      setsid();
      work_on((void *)stop);
    }
  }
  *stop = 1;
  work(x, y);
  *stop = 0;
  return 0;
}

/* Works on inside a call of the kernel that SIGSTOP does not end. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
static void *work_in_the_kernel(void *context) {
  const size_t size = (size_t)8 << 30; /* addresses; they all have one page of zeros */
  volatile sig_atomic_t *stop = context;
  for (;; usleep(20)) {
    void *pages = *stop ? MAP_FAILED
                        : mmap(NULL, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) continue;
    madvise(pages, size, MADV_NOHUGEPAGE);
    madvise(pages, size, MADV_POPULATE_READ);
    munmap(pages, size);
  }
  return NULL;
}

static inline int hinders_in_the_kernel(void) {
  pthread_t thread;
  if (!calls++) pthread_create(&thread, NULL, work_in_the_kernel, (void *)&calling);
  calling = 1;
  work(x, y);
  calling = 0;
  return 0;
}

/* Writes into the outputs of the other version, which are in the same shared memory, when its own
 * call is long ago. */
static _Atomic int64_t last_call;
static void *spoil(void *context) {
  for (;; usleep(20))
    for (int i = 0; i < BUFFERS && known[i].x && now_by(CLOCK_MONOTONIC) - last_call > IDLE_NS; i++)
      memset((void *)(uintptr_t)known[i].y, 0, 64);
  return context;
}

static inline int spoils_outputs(void) {
  pthread_t thread;
  find();
  last_call = INT64_MAX;
  if (!calls++) pthread_create(&thread, NULL, spoil, NULL);
  work(x, y);
  last_call = now_by(CLOCK_MONOTONIC);
  return 0;
}

/* The other version: its call fails where somebody works beside it. */
static inline int notices_others(void) {
  find_words();
  const _Atomic uint32_t *other = (void *)(page + 1024);
  const uint32_t before = *other;
  for (int i = 0; i < 20; i++) work(x, y);
  return *other == before ? 0 : 7;
}

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  x = call->tensors[0].data;
  y = call->tensors[1].data;
  bytes = (size_t)call->tensors[0].size[0] * sizeof *x;
  return ATTACK();
}

static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_kernel),
                                          .name = "attack",
                                          .operator_name = "scale",
                                          .device = PAWL_CPU,
                                          .flags = PAWL_KERNEL_DETERMINISTIC,
                                          .supports = supports,
                                          .launch = launch};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
