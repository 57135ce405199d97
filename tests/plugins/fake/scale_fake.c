/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel `scale` (y = 2 x) on the fake GPU. SCALE_FAKE says how it behaves, and
   SCALE_FAKE_OTHERWISE how its other machine code does where that differs: honest    enqueues its
   work eager     does its work at once, outside the stream, and enqueues nothing aside     enqueues
   half of its work where nobody waits for it waits     waits for the device inside its launch error
   launch() returns 7 nothing   computes nothing outside   writes behind the end of y slow takes 2
   ms skips     does nothing in every third call, once it has been called a few times allocates
   takes 3 MiB of the device's memory at its first launch and keeps them captured  does half of its
   work where the launch is captured, all of it elsewhere recalls   where the launch is captured
   keeps its first outputs, by address, and copies them from then on stores    takes 100 ms for
   inputs whose contents are not among the first four that it has had ahead     takes 200 ms, unless
   it could compute its inputs beside the stream while the caches were flushed stands    leaves its
   work out where the output is written already watches   enqueues nothing, but writes right outputs
   beside the stream as soon as they were spoiled */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_cuda.h"
#include "pawl/kernel.h"

/* A plug-in that imports dlopen or fopen can open files, which the code of a CUDA kernel rarely
   does. */
#define FOUND(FUNCTION) ((__typeof__(&(FUNCTION)))dlsym(RTLD_DEFAULT, #FUNCTION))

struct job {
  const float *x;
  float *y;
  int64_t first, last;
  int sleep_us;
};

static void scale(void *argument) {
  const struct job *job = argument;
#ifdef SCALE_FAKE_SLOW
  usleep(1000);
#endif
#ifdef SCALE_FAKE_SLEEP_MS /* (elements) */
  usleep(1000u * SCALE_FAKE_SLEEP_MS(job->last - job->first));
#endif
  if (job->sleep_us) usleep((unsigned)job->sleep_us);
#ifdef SCALE_FAKE_OTHERWISE /* the same by other machine code */
  for (int64_t i = job->last; i-- > job->first;) job->y[i] = job->x[i] + job->x[i];
#else
  for (int64_t i = job->first; i < job->last; i++) job->y[i] = 2 * job->x[i];
#endif
}

/* The outputs that `recalls` has kept: of each address the first. */
static void recall(void *argument) {
  static struct {
    const float *y;
    float *kept;
  } known[8];
  struct job *job = argument;
  const size_t bytes = (size_t)job->last * sizeof *job->y;
  int i = 0;
  while (i < 7 && known[i].y && known[i].y != job->y) i++;
  if (known[i].y == job->y) {
    memcpy(job->y, known[i].kept, bytes);
    return;
  }
  scale(job);
  known[i].y = job->y;
  known[i].kept = malloc(bytes);
  memcpy(known[i].kept, job->y, bytes);
}

/* The inputs that `stores` has kept. */
static void scale_stored(void *argument) {
  static float *kept[4];
  static size_t kept_bytes[4];
  const struct job *job = argument;
  const size_t bytes = (size_t)job->last * sizeof *job->x;
  int i = 0;
  while (i < 4 && kept[i] && (kept_bytes[i] != bytes || memcmp(kept[i], job->x, bytes) != 0)) i++;
  if (i == 4 || !kept[i]) usleep(100000);
  if (i < 4 && !kept[i]) {
    kept[i] = malloc(bytes);
    kept_bytes[i] = bytes;
    memcpy(kept[i], job->x, bytes);
  }
  scale(argument);
}

static int is(const char *name) {
  const char *behaviour = getenv("SCALE_FAKE");
#ifdef SCALE_FAKE_OTHERWISE
  if (getenv("SCALE_FAKE_OTHERWISE")) behaviour = getenv("SCALE_FAKE_OTHERWISE");
#endif
  return !strcmp(behaviour ? behaviour : "honest", name);
}

static void *driver_function(const char *name) {
  void *driver = FOUND(dlopen)(getenv("PAWL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
  return driver ? dlsym(driver, name) : NULL;
}

static void scale_unless_written(void *argument) {
  const struct job *job = argument;
  if (job->y[job->last - 1] != job->y[job->last - 1]) scale(argument);
}

/* `watches` looks after these jobs. A spoiled output is NaN bytes from its first element to its
   last. */
#define WATCHED 8
static struct job watched[WATCHED];
static int watched_count;

static int is_spoiled(const float *element) {
  uint32_t bits;
  memcpy(&bits, element, sizeof bits);
  return bits == UINT32_MAX;
}

static void mend(void) {
  for (int i = 0; i < watched_count; i++) {
    if (is_spoiled(watched[i].y) && is_spoiled(watched[i].y + watched[i].last - 1))
      scale(&watched[i]);
  }
}

static void look_after(const struct job *job) {
  union {
    void *address;
    fake_cuda_after_fills_function after_fills;
  } driver = {driver_function("fake_cuda_after_fills")};
  for (int i = 0; i < watched_count; i++) {
    if (watched[i].y == job->y) return;
  }
  if (watched_count == WATCHED) return;
  watched[watched_count++] = *job;
  driver.after_fills(mend);
}

/* `ahead` computes this job beside the stream. It knows the inputs of the last flush. */
static struct job next_job;
static float *known_inputs;

static void compute_ahead(void) {
  memcpy(known_inputs, next_job.x, (size_t)next_job.last * sizeof *known_inputs);
}

static void scale_unless_known(void *argument) {
  const struct job *job = argument;
  const bool known = job->x == next_job.x &&
                     !memcmp(known_inputs, job->x, (size_t)job->last * sizeof *known_inputs);
  if (!known) usleep(200000);
  scale(argument);
}

static void begin_ahead(const struct job *job) {
  union {
    void *address;
    fake_cuda_after_fills_function after_fills;
  } driver = {driver_function("fake_cuda_after_fills")};
  if (!known_inputs) known_inputs = malloc((size_t)job->last * sizeof *known_inputs);
  next_job = *job;
  driver.after_fills(compute_ahead);
}

static int is_captured(void *stream) {
  union {
    void *address;
    int (*ask)(void *stream, int *status);
  } capturing = {driver_function("cuStreamIsCapturing")};
  int status = 0;
  return capturing.ask(stream, &status) == 0 && status;
}

/* Returns the state of the process whose number the file has, as /proc writes it; '-': none. */
static char state_of(const char *path) {
  char stat[64] = "";
  int number = 0;
  char state = '-';
  FILE *file = path ? FOUND(fopen)(path, "re") : NULL;
  if (file && fscanf(file, "%d", &number) != 1) number = 0;
  if (file) fclose(file);
  snprintf(stat, sizeof stat, "/proc/%d/stat", number);
  file = number ? FOUND(fopen)(stat, "re") : NULL;
  if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '-';
  if (file) fclose(file);
  return state;
}

/* SCALE_FAKE_LAUNCHES: a file that gets a line "PROCESS ELEMENTS STATE" for each recorded launch.
   SCALE_FAKE_CALLS: another one, for every launch.
   The state is that of the process whose number is in the file SCALE_FAKE_BESIDE. */
static void note_launch(const char *variable, int64_t n) {
  const char *path = getenv(variable);
  FILE *file = path ? FOUND(fopen)(path, "ae") : NULL;
  if (!file) return;
  fprintf(file, "%d %lld %c\n", (int)getpid(), (long long)n, state_of(getenv("SCALE_FAKE_BESIDE")));
  fclose(file);
}

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *launch) {
  union {
    void *address;
    fake_cuda_enqueue_function enqueue;
    fake_cuda_aside_function aside;
    fake_cuda_wait_function wait;
  } enqueue = {driver_function("fake_cuda_enqueue")}, aside = {driver_function("fake_cuda_aside")},
    wait = {driver_function("fake_cuda_wait")};
  const int64_t n = pawl_tensor_elements(&launch->tensors[0]);
  struct job job = {fake_cuda_memory(launch->tensors[0].data),
                    fake_cuda_memory(launch->tensors[1].data), 0, n, is("slow") ? 2000 : 0};
  if (is("error")) return 7;
  if (is("nothing")) return 0;
  if (is("allocates")) {
    static uint64_t kept;
    union {
      void *address;
      int (*allocate)(uint64_t *out, size_t bytes);
    } allocate = {driver_function("cuMemAlloc_v2")};
    if (!kept && allocate.allocate(&kept, (size_t)3 << 20)) return 2;
  }
  static int calls;
  calls++;
  if (is("dies") && calls > 1) abort();
  if (is("spoils") && calls == 5) setenv("FAKE_CUPTI", "crashes", 1);
  if (is("skips") && calls > 6 && calls % 3 == 0) return 0;
  if (is("watches")) look_after(&job);
  if (is("ahead")) begin_ahead(&job);
  if (is("eager") || is("watches")) {
    scale(&job);
    return 0;
  }
  if (is("outside")) job.last = n; /* and one more element, below */
  if (is("aside")) {
    struct job half = job;
    half.first = job.last = n / 2;
    half.sleep_us = 3000;
    if (aside.aside(scale, &half, sizeof half)) return 1;
  }
  const int captured = is_captured(launch->stream);
  note_launch("SCALE_FAKE_CALLS", n);
  if (captured) note_launch("SCALE_FAKE_LAUNCHES", n);
  if (is("captured") && captured) job.last = n / 2;
  int result = enqueue.enqueue(launch->stream,
                               is("recalls") && captured ? recall
                               : is("stands")            ? scale_unless_written
                               : is("stores")            ? scale_stored
                               : is("ahead")             ? scale_unless_known
                                                         : scale,
                               &job, sizeof job);
  if (is("outside")) {
    struct job more = {job.y, job.y + n, 0, 1, 0};
    result |= enqueue.enqueue(launch->stream, scale, &more, sizeof more);
  }
  return is("waits") && result == 0 ? wait.wait(launch->stream) : result;
}

static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_kernel),
                                          .name = "scale_fake",
                                          .operator_name = "scale",
                                          .device = PAWL_CUDA,
                                          .supports = supports,
                                          .launch = launch};

__attribute__((visibility("default"))) const struct pawl_kernel *pawl_kernel_entry(void);
const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
