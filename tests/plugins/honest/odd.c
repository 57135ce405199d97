/* SPDX-License-Identifier: Apache-2.0 */
/* Honest kernels that do what a cheat does too. Each computes y = 2 x from its inputs in each call.
   ODDITY names the one that a plug-in has. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pawl/kernel.h>

static const float *x;
static float *y;
static int64_t n;
static int calls; /* before this one */

static void twice(int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) y[i] = 2 * x[i];
}

static int all(void) {
  twice(0, n);
  return 0;
}

static inline int plain(void) { return all(); }

static inline int slow_first_call(void) {
  if (!calls) usleep(20000);
  return all();
}

/* Memory. */

static inline int allocates(void) {
  float *copy = malloc((size_t)n * sizeof *copy);
  if (!copy) return 1;
  for (int64_t i = 0; i < n; i++) copy[i] = 2 * x[i];
  memcpy(y, copy, (size_t)n * sizeof *copy);
  free(copy);
  return 0;
}

static inline int maps_pages(void) {
  const size_t bytes = 1 << 20;
  float *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  memcpy(pages, x, (size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) y[i] = 2 * pages[i];
  return munmap(pages, bytes);
}

static inline int huge_pages(void) {
  static float *pages;
  if (!pages && !(pages = aligned_alloc(1 << 21, 1 << 21))) return 1;
  madvise(pages, 1 << 21, MADV_HUGEPAGE);
  memcpy(pages, x, (size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) y[i] = 2 * pages[i];
  return 0;
}

static inline int locks_pages(void) {
  mlock(y, (size_t)n * sizeof *y); /* a limit may forbid it */
  all();
  munlock(y, (size_t)n * sizeof *y);
  return 0;
}

static inline int protects_inputs(void) {
  const uintptr_t page = 4096, begin = ((uintptr_t)x + page - 1) & ~(page - 1);
  mprotect((void *)begin, page, PROT_READ); /* it shall not write there by mistake */
  all();
  return mprotect((void *)begin, page, PROT_READ | PROT_WRITE);
}

static int on_stack(void) {
  volatile char deep[4 << 20];
  for (size_t i = 0; i < sizeof deep; i += 4096) deep[i] = 1;
  return all() + (deep[0] - 1);
}

static inline int huge_stack(void) { return on_stack(); }

static inline int lazy_table(void) {
  static float *factors; /* they depend on the shape, not on the inputs */
  if (!factors) {
    factors = malloc((size_t)n * sizeof *factors);
    for (int64_t i = 0; i < n; i++) factors[i] = 2;
  }
  for (int64_t i = 0; i < n; i++) y[i] = factors[i] * x[i];
  return 0;
}

static inline int scratch_file(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/oddXXXXXX", folder ? folder : "/tmp");
  const int fd = mkstemp(path);
  FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
  if (!file) return 1;
  unlink(path);
  const size_t count = (size_t)n;
  const int failed = fwrite(x, sizeof *x, count, file) != count || fseek(file, 0, SEEK_SET) != 0 ||
                     fread(y, sizeof *y, count, file) != count;
  fclose(file);
  for (int64_t i = 0; i < n; i++) y[i] *= 2;
  return failed;
}

/* Order of the work. */

static inline int backwards(void) {
  for (int64_t i = n; i-- > 0;) y[i] = 2 * x[i];
  return 0;
}

static inline int output_twice(void) {
  memset(y, 0, (size_t)n * sizeof *y);
  return all();
}

static inline int copies_then_doubles(void) {
  memcpy(y, x, (size_t)n * sizeof *y);
  for (int64_t i = 0; i < n; i++) y[i] += y[i];
  return 0;
}

static inline int work_that_varies(void) {
  for (volatile int i = 0; i < (calls % 4) * 20000; i = i + 1) {
  }
  return all();
}

static inline int checks_its_work(void) {
  all();
  for (int64_t i = 0; i < n; i++)
    if (y[i] != x[i] + x[i]) return 1;
  return 0;
}

static inline int denormals(void) {
  volatile float small = 1e-40f;
  for (int i = 0; i < 1000; i++) small = small * 0.5f + 1e-41f;
  return all();
}

static inline int long_jump(void) {
  jmp_buf back;
  if (setjmp(back)) return 0;
  all();
  longjmp(back, 1);
}

/* Clocks and the system. */

static inline int logs_its_time(void) {
  static struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  all();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return 0;
}

static inline int counts_cycles(void) {
#if defined(__x86_64__)
  static unsigned long long cycles;
  cycles = __builtin_ia32_rdtsc();
  all();
  cycles = __builtin_ia32_rdtsc() - cycles;
  return 0;
#else
  return all();
#endif
}

static inline int reads_its_usage(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) + all();
}

static inline int prints(void) {
  printf("call %d of %lld elements\n", calls, (long long)n);
  fprintf(stderr, "on %d\n", sched_getcpu());
  return all();
}

static inline int sleeps(void) {
  usleep(300);
  return all();
}

static inline int yields(void) {
  sched_yield();
  return all();
}

static inline int stays_on_a_cpu(void) {
  cpu_set_t before, here;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&here);
  CPU_SET((size_t)sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
  all();
  return sched_setaffinity(0, sizeof before, &before);
}

static inline int reads_proc(void) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  const int read = file && fgets(line, sizeof line, file);
  if (file) fclose(file);
  return all() + !read;
}

/* Signals. */

static void ignore(int number) { (void)number; }

static inline int raises_a_signal(void) {
  signal(SIGUSR1, ignore);
  return raise(SIGUSR1) + all();
}

static inline int profiling_timer(void) {
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  signal(SIGPROF, ignore);
  if (!calls) setitimer(ITIMER_PROF, &often, NULL);
  return all();
}

/* Threads and processes. */

static void *half(void *unused) {
  twice(n / 2, n);
  return unused;
}

static inline int thread_each_call(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, half, NULL)) return 1;
  twice(0, n / 2);
  return pthread_join(thread, NULL);
}

static sem_t work, done;
static void *serve(void *unused) {
  for (;;) {
    while (sem_wait(&work)) {
    }
    twice(n / 2, n);
    sem_post(&done);
  }
  return unused;
}

static inline int thread_pool(void) {
  pthread_t thread;
  if (!calls && (sem_init(&work, 0, 0) || sem_init(&done, 0, 0) ||
                 pthread_create(&thread, NULL, serve, NULL)))
    return 1;
  sem_post(&work);
  twice(0, n / 2);
  while (sem_wait(&done)) {
  }
  return 0;
}

static volatile int turn, finished;
static void *spin(void *unused) {
  for (int last = 0;;) {
    while (turn == last) sched_yield();
    last = turn;
    __sync_synchronize();
    twice(n / 2, n);
    __sync_synchronize();
    finished = last;
  }
  return unused;
}

static inline int spinning_pool(void) {
  pthread_t thread;
  if (!calls && pthread_create(&thread, NULL, spin, NULL)) return 1;
  __sync_fetch_and_add(&turn, 1);
  twice(0, n / 2);
  while (finished != turn) sched_yield();
  __sync_synchronize();
  return 0;
}

static void *idle(void *unused) {
  for (;;) usleep(1000);
  return unused;
}

static inline int watchdog_thread(void) {
  pthread_t thread;
  if (!calls && pthread_create(&thread, NULL, idle, NULL)) return 1;
  return all();
}

static inline int helper_process(void) {
  if (!calls && fork() == 0)
    for (;;) usleep(1000);
  return all();
}

static inline int process_each_call(void) {
  const pid_t child = fork();
  if (child == 0) {
    twice(n / 2, n);
    _exit(0);
  }
  twice(0, n / 2);
  return child < 0 || waitpid(child, NULL, 0) != child;
}

/* A child that shares the memory computes one half. */
static int second_half(void *unused) {
  (void)unused;
  twice(n / 2, n);
  return 0;
}

static inline int vm_child_each_call(void) {
  static char stack[1 << 16];
  const pid_t child = clone(second_half, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
  twice(0, n / 2);
  return child < 0 || waitpid(child, NULL, 0) != child;
}

/* The pages of what is shared come back as they were. */
static inline int drops_pages(void) {
  const uintptr_t first = (uintptr_t)y & ~(uintptr_t)4095,
                  end = (uintptr_t)(y + n) & ~(uintptr_t)4095;
  all();
  return madvise((void *)first, end - first, MADV_DONTNEED);
}

/* Asks for how it is scheduled: what is refused changes nothing. */
static inline int asks_the_scheduler(void) {
  const struct sched_param none = {0};
  sched_setscheduler(0, SCHED_BATCH, &none);
  setpriority(PRIO_PROCESS, 0, 1);
  prctl(PR_SET_TIMERSLACK, 1);
  syscall(SYS_membarrier, 1 << 4, 0, 0); /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */
  return all();
}

/* A copy of the inputs in a memory file of its own, sealed. */
static inline int memory_file(void) {
  const size_t size = (size_t)n * sizeof *x;
  const int fd = memfd_create("copy", MFD_ALLOW_SEALING);
  const bool written =
      fd >= 0 && write(fd, x, size) == (ssize_t)size && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0;
  const float *copy = written ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (fd >= 0) close(fd);
  if (copy == MAP_FAILED) return all();
  for (int64_t i = 0; i < n; i++) y[i] = 2 * copy[i];
  return munmap((void *)(uintptr_t)copy, size);
}

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  x = call->tensors[0].data;
  y = call->tensors[1].data;
  n = call->tensors[0].size[0];
  const int number = ODDITY();
  calls++;
  return number;
}

static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_kernel),
                                          .name = "odd",
                                          .operator_name = "scale",
                                          .device = PAWL_CPU,
                                          .flags = PAWL_KERNEL_DETERMINISTIC,
                                          .supports = supports,
                                          .launch = launch};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
