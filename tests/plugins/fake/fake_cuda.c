/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver without a GPU, for tests: device memory is host memory under other addresses,
   streams run in order when they are waited for. Events tell the time of a device that begins work
   when it is enqueued: where the host is late they hold the gap, and a graph that finds the device
   idle starts 1 ms late. The GPUs of fake_lost.h; CUDA_VISIBLE_DEVICES chooses among them.
   FAKE_CUDA_FAULT makes it fail: none init crash old no_count oom launch capture elapsed module
   register slow_host persisting no_persisting slow_host: every fifth launch of a graph, or event of
   the legacy stream, takes the host 3 ms and not 50 us. The last two: every graph leaves lines in
   the L2 that a flush leaves there until they are reset, which is an error; a GPU whose L2 keeps
   none. FAKE_CUDA_LOG: a file that gets a line "context N" for each context made, N the number of
   the GPU. FAKE_CUDA_NAME: of all GPUs. FAKE_CUDA_LIVES: a file that gets a "+" for each context
   made and a "-" for each released. FAKE_CUDA_INITS: a file that gets a line with the number of
   each process that opens the driver. FAKE_CUDA_INIT_MS, FAKE_CUDA_CONTEXT_MS: how long opening the
   driver and making a context take, of contexts one after another as in NVIDIA's driver.
   FAKE_CUDA_USED: a file that counts the memory that is used, for all processes together; without
   it each has its own. FAKE_CUDA_MEMORY: a file that gets a line for each block allocated, each
   range pinned, each upload, and each count of the free memory.
 */
#include "fake_cuda.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fake_kernels.h"
#include "fake_lost.h"

#define API __attribute__((visibility("default")))
#define STREAM_LEGACY ((void *)1)
#define CAPTURED 900
#define ILLEGAL_ADDRESS 700
#define LAUNCH_FAILED 719
#define NOT_READY 600
#define STAMP_MS 1e-4              /* the device time of an event */
#define L2_BYTES ((size_t)2 << 20) /* small: a flush of the L2 takes most of the time of a test */

enum kind { FILL, CALL, STAMP, GRAPH };
struct work {
  enum kind kind;
  unsigned char *to;
  unsigned char value;
  size_t bytes;
  void (*body)(void *argument);
  void *argument;
  struct event *event;
  struct list *graph;
  double enqueued_ms;
};
struct list {
  struct work items[4096];
  int count;
};
struct event {
  double ms;
};
struct stream {
  struct list *captured; /* not NULL while the stream is captured */
};

/* 143771 MiB, or as many as FAKE_CUDA_MIB says. */
static size_t memory_bytes(void) {
  const char *given = getenv("FAKE_CUDA_MIB");
  return (given ? (size_t)atoi(given) : 143771) << 20;
}

/* A test double: state of the one process that loads it. */
static struct list pending, aside;
static int sticky, current = -1;
static double device_ms; /* when the device was done with what it has run */
static bool persisting;  /* lines of the L2 would outlive a flush */
static void (*after_fills)(void);
static void (*at_launches)(void);
static void (*at_waits)(void);

static bool fault(const char *name) {
  const char *wanted = getenv("FAKE_CUDA_FAULT");
  return wanted && !strcmp(wanted, name);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void spin(void *argument);

static double spin_ms(const void *argument) {
  uint64_t cycles;
  memcpy(&cycles, argument, sizeof cycles);
  return (double)cycles / 1980000;
}

/* How long the device needs, as far as that is known before; of a fill it is never measured. */
static double expected_ms(const struct work *work) {
  if (work->kind == FILL) return (double)work->bytes / 4e9;
  return work->kind == CALL && work->body == spin ? spin_ms(work->argument) : 0;
}

static void call(const struct work *work) {
  const double begin = now_ms();
  if (fault("launch") && work->body != spin) sticky = ILLEGAL_ADDRESS;
  if (fake_is_lost(current)) sticky = LAUNCH_FAILED;
  if (!sticky) work->body(work->argument);
  device_ms += now_ms() - begin;
}

static void run(struct list *list);

static void run_graph(struct list *graph, bool idle) {
  if (idle && graph->count && graph->items[0].kind == STAMP) {
    graph->items[0].event->ms = device_ms;
    usleep(1000);
    device_ms += 1;
    struct list rest = {.count = graph->count - 1};
    memcpy(rest.items, graph->items + 1, (size_t)rest.count * sizeof *rest.items);
    run(&rest);
  } else {
    run(graph);
  }
}

static void run(struct list *list) {
  for (int i = 0; i < list->count; i++) {
    struct work *work = &list->items[i];
    const bool idle = work->enqueued_ms > device_ms;
    if (idle) device_ms = work->enqueued_ms;
    switch (work->kind) {
      case FILL:
        memset(work->to, work->value, work->bytes);
        device_ms += expected_ms(work);
        if (after_fills) after_fills();
        break;
      case CALL: call(work); break;
      case STAMP:
        work->event->ms = device_ms;
        device_ms += STAMP_MS;
        break;
      case GRAPH: run_graph(work->graph, idle); break;
    }
  }
}

static void drain(struct list *list) {
  run(list);
  for (int i = 0; i < list->count; i++) free(list->items[i].argument);
  list->count = 0;
}

static int add(struct stream *stream, struct work work, const void *argument, size_t size) {
  struct list *list =
      stream != STREAM_LEGACY && stream && stream->captured ? stream->captured : &pending;
  if (sticky) return sticky;
  if (list->count < 0) return CAPTURED; /* this capture has been refused */
  if (list->count == (int)(sizeof list->items / sizeof *list->items)) return 2;
  if (argument) {
    work.argument = malloc(size);
    memcpy(work.argument, argument, size);
  }
  if (list == &pending) work.enqueued_ms = now_ms();
  list->items[list->count++] = work;
  return 0;
}

API int cuDriverGetVersion(int *version) {
  *version = fault("old") ? 11020 : 13000;
  return 0;
}
API int cuGetErrorName(int error, const char **text) {
  *text = error == 2                 ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                     : "CUDA_ERROR_X";
  return error == 998 ? 1 : 0;
}
API int cuGetErrorString(int error, const char **text) {
  *text = error == 2                 ? "out of memory"
          : error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                     : "words";
  return 0;
}

/* The GPU behind a visible number; a GPU is named by its number or by its UUID, which ends in it.
 */
static int physical(int index) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (!visible) return index;
  return strncmp(visible, "GPU-", 4) ? atoi(visible)
                                     : (int)strtol(visible + strlen(visible) - 2, NULL, 16);
}
static void log_line(const char *variable, const char *format, int value) {
  const char *path = getenv(variable);
  FILE *log = path ? fopen(path, "ae") : NULL;
  if (!log) return;
  fprintf(log, format, value);
  fclose(log);
}
static void nap(const char *variable) {
  const char *given = getenv(variable);
  if (given) usleep((useconds_t)(atof(given) * 1e3));
}

API int cuInit(unsigned flags) {
  (void)flags;
  const bool chosen = getenv("CUDA_VISIBLE_DEVICES") != NULL;
  log_line("FAKE_CUDA_INITS", "%d\n", getpid());
  nap("FAKE_CUDA_INIT_MS");
  if (fault("crash")) abort();
  return fault("none") || (chosen && fake_is_lost(physical(0))) ? 100 : fault("init") ? 999 : 0;
}
API int cuDeviceGetCount(int *count) {
  if (fault("no_count")) return 999;
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  *count = visible ? *visible != '\0' : fake_gpu_count();
  return 0;
}
API int cuDeviceGet(int *device, int index) {
  *device = physical(index);
  return 0;
}
API int cuDeviceGetName(char *name, int size, int device) {
  const char *given = getenv("FAKE_CUDA_NAME");
  if (given)
    snprintf(name, (size_t)size, "%s", given);
  else
    snprintf(name, (size_t)size, "Fake GPU %d", device);
  return 0;
}
API int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  memset(uuid, 0, 16);
  uuid[0] = 0xab, uuid[15] = (unsigned char)device;
  return 0;
}
API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case 13: *value = 1980000; break;
    case 16: *value = 132; break;
    case 32: *value = 1; break;
    case 36: *value = 3201000; break;
    case 37: *value = 6144; break;
    case 38: *value = (int)L2_BYTES; break;
    case 39: *value = 2048; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    case 81: *value = 233472; break;
    case 82: *value = 65536; break;
    case 106: *value = 32; break;
    case 111: *value = 1024; break;
    default: return 1;
  }
  return 0;
}
API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = memory_bytes();
  return 0;
}
API int cuDeviceGetPCIBusId(char *id, int size, int device) {
  snprintf(id, (size_t)size, "0000:%02x:00.0", device + 1);
  return 0;
}
API int cuDevicePrimaryCtxRetain(void **context, int device) {
  const char *log = getenv("FAKE_CUDA_LOG");
  const int file =
      log && getenv("FAKE_CUDA_CONTEXT_MS") ? open(log, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file >= 0) flock(file, LOCK_EX);
  nap("FAKE_CUDA_CONTEXT_MS");
  if (file >= 0) close(file);
  log_line("FAKE_CUDA_LOG", "context %d\n", device);
  log_line("FAKE_CUDA_LIVES", "+", 0);
  current = device;
  *context = (void *)8;
  return 0;
}
API int cuDevicePrimaryCtxRelease_v2(int device) {
  log_line("FAKE_CUDA_LIVES", "-", device);
  return 0;
}
API int cuCtxSetCurrent(void *context) {
  (void)context;
  return 0;
}
static int note_range(const char *what) {
  FILE *log = getenv("FAKE_CUDA_LOG") ? fopen(getenv("FAKE_CUDA_LOG"), "a") : NULL;
  if (log) {
    fprintf(log, "profiler %s\n", what);
    fclose(log);
  }
  return 0;
}
API int cuProfilerStart(void) { return note_range("start"); }
API int cuProfilerStop(void) { return note_range("stop"); }
API int cuCtxSynchronize(void) {
  if (at_waits) at_waits();
  drain(&pending);
  drain(&aside);
  return sticky;
}
static size_t *count_used(void) {
  static size_t own, *all;
  const char *path = getenv("FAKE_CUDA_USED");
  const int file = path && !all ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (!all) all = &own;
  if (file < 0 || ftruncate(file, sizeof *all)) return all;
  void *mapped = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) all = mapped;
  close(file);
  return all;
}
static void use(size_t bytes) { __atomic_add_fetch(count_used(), bytes, __ATOMIC_RELAXED); }
API int cuMemGetInfo_v2(size_t *left, size_t *total) {
  log_line("FAKE_CUDA_MEMORY", "count\n", 0);
  *left = memory_bytes() - __atomic_load_n(count_used(), __ATOMIC_RELAXED);
  *total = memory_bytes();
  return sticky;
}
API int cuMemAlloc_v2(uint64_t *out, size_t bytes) {
  log_line("FAKE_CUDA_MEMORY", "allocate\n", 0);
  if ((fault("oom") && bytes > 4096) || bytes > (size_t)1 << 33) return 2;
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  *out = (uint64_t)(uintptr_t)memory + FAKE_CUDA_OFFSET;
  use(malloc_usable_size(memory));
  return memory ? 0 : 2;
}
API int cuMemFree_v2(uint64_t memory) {
  cuCtxSynchronize();
  use(-malloc_usable_size((void *)(uintptr_t)(memory - FAKE_CUDA_OFFSET)));
  free((void *)(uintptr_t)(memory - FAKE_CUDA_OFFSET));
  return 0;
}
API int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  (void)flags;
  *out = malloc(bytes);
  return *out ? 0 : 2;
}
API int cuMemFreeHost(void *memory) {
  free(memory);
  return 0;
}
API int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  (void)memory, (void)bytes, (void)flags;
  log_line("FAKE_CUDA_MEMORY", "pin\n", 0);
  return fault("register") ? 801 : 0;
}
API int cuMemHostUnregister(void *memory) {
  (void)memory;
  return 0;
}
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  log_line("FAKE_CUDA_MEMORY", "upload\n", 0);
  drain(&pending);
  if (!sticky) memcpy((void *)(uintptr_t)(to - FAKE_CUDA_OFFSET), from, bytes);
  return sticky;
}
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  drain(&pending);
  if (!sticky) memcpy(to, (void *)(uintptr_t)(from - FAKE_CUDA_OFFSET), bytes);
  return sticky;
}
API int cuCtxResetPersistingL2Cache(void) {
  persisting = false;
  return fault("no_persisting") ? 801 : sticky;
}
API int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
  if (bytes > L2_BYTES && persisting) return 999;
  const struct work work = {.kind = FILL,
                            .to = (unsigned char *)(uintptr_t)(to - FAKE_CUDA_OFFSET),
                            .value = value,
                            .bytes = bytes};
  return add(stream, work, NULL, 0);
}
API int cuStreamCreate(void **out, unsigned flags) {
  (void)flags;
  *out = calloc(1, sizeof(struct stream));
  return 0;
}
API int cuStreamDestroy_v2(void *stream) {
  free(stream);
  return 0;
}
API int cuStreamSynchronize(void *stream) {
  (void)stream;
  drain(&pending);
  return sticky;
}
API int cuEventCreate(void **out, unsigned flags) {
  (void)flags;
  *out = calloc(1, sizeof(struct event));
  return 0;
}
API int cuEventDestroy_v2(void *event) {
  free(event);
  return 0;
}
static void take_time(void) {
  static int calls;
  usleep(fault("slow_host") && ++calls % 5 == 0 ? 3000 : 5);
}
API int cuEventRecord(void *event, void *stream) {
  if (stream == STREAM_LEGACY) take_time();
  return add(stream, (struct work){.kind = STAMP, .event = event}, NULL, 0);
}
API int cuEventRecordWithFlags(void *event, void *stream, unsigned flags) {
  (void)flags;
  return cuEventRecord(event, stream);
}
API int cuEventQuery(void *event) {
  double done_ms = device_ms;
  for (int i = 0; i < pending.count; i++) {
    const struct work *work = &pending.items[i];
    if (work->enqueued_ms > done_ms) done_ms = work->enqueued_ms;
    done_ms += expected_ms(work);
    if (work->kind == STAMP && work->event == event) return now_ms() < done_ms ? NOT_READY : sticky;
  }
  return sticky;
}
API int cuEventElapsedTime_v2(float *ms, void *start, void *end) {
  *ms = (float)(((struct event *)end)->ms - ((struct event *)start)->ms);
  if (fault("elapsed")) *ms = 1e6f;
  return sticky;
}
API int cuStreamBeginCapture_v2(void *stream, int mode) {
  (void)mode;
  if (fault("capture")) return 801;
  ((struct stream *)stream)->captured = calloc(1, sizeof(struct list));
  return sticky;
}
API int cuStreamIsCapturing(void *stream, int *status) {
  *status = ((struct stream *)stream)->captured ? 1 : 0;
  return sticky;
}
API int cuStreamEndCapture(void *stream, void **out) {
  struct stream *s = stream;
  *out = s->captured;
  const bool refused = s->captured->count < 0;
  s->captured = NULL;
  if (!refused) return sticky;
  free(*out);
  *out = NULL;
  return 901;
}
API int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags) {
  (void)flags;
  *out = malloc(sizeof(struct list));
  memcpy(*out, graph, sizeof(struct list));
  return 0;
}
#ifndef FAKE_CUDA_WITHOUT_UPLOAD
API int cuGraphUpload(void *graph, void *stream) {
  (void)graph, (void)stream;
  return sticky;
}
#endif
API int cuGraphLaunch(void *graph, void *stream) {
  take_time();
  persisting = fault("persisting");
  return add(stream, (struct work){.kind = GRAPH, .graph = graph}, NULL, 0);
}
API int cuGraphDestroy(void *graph) {
  free(graph); /* the arguments now belong to the executable graph */
  return 0;
}
API int cuGraphExecDestroy(void *graph) {
  struct list *list = graph;
  for (int i = 0; i < list->count; i++) free(list->items[i].argument);
  free(list);
  return 0;
}

/* --- kernels that PTX names: a spin of a number of cycles, a sum over words, an exchange of
   elements --- */

API int cuModuleLoadData(void **out, const void *image) {
  if (fault("module")) return 218;
  *out = strdup(image);
  return strncmp(image, ".version ", 9) ? 218 : 0;
}
API int cuModuleUnload(void *module) {
  free(module);
  return 0;
}
API int cuModuleGetFunction(void **out, void *module, const char *name) {
  *out = module;
  return strstr(module, name) ? 0 : 500;
}
API int cuFuncGetAttribute(int *value, int attribute, void *function) {
  if (function != &pending) return 400;
  *value = attribute == 4 ? 40 : 1024; /* registers, or bytes of shared memory */
  return 0;
}
API int cuKernelGetFunction(void **function, void *kernel) {
  (void)kernel;
  *function = &pending; /* every kernel has this one */
  return 0;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                    size_t shared) {
  (void)function, (void)shared;
  *blocks = 1536 / threads;
  return 0;
}
static void spin(void *argument) {
  const double until = now_ms() + spin_ms(argument);
  while (now_ms() < until) {
  }
}
API int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       void *stream, void **parameters, void **extra) {
  if (!function || grid_x < 1 || block_x < 1 || grid_y * grid_z * block_y * block_z != 1 ||
      shared_bytes || extra)
    return 1;
  if (strstr(function, "pawl_sum_hash")) {
    struct sum_hash hash;
    memcpy(&hash.data, parameters[0], sizeof hash.data);
    memcpy(&hash.words, parameters[1], sizeof hash.words);
    memcpy(&hash.first, parameters[2], sizeof hash.first);
    memcpy(&hash.sums, parameters[3], sizeof hash.sums);
    return add(stream, (struct work){.kind = CALL, .body = sum_hash}, &hash, sizeof hash);
  }
  if (strstr(function, "pawl_exchange")) {
    struct exchange e = {.inputs = grid_x};
    uint64_t *const fields[] = {&e.table, &e.places, &e.seed, &e.mode};
    for (int i = 0; i < 4; i++) memcpy(fields[i], parameters[i], sizeof *fields[i]);
    return block_x == 8 ? add(stream, (struct work){.kind = CALL, .body = exchange}, &e, sizeof e)
                        : 1;
  }
  if (grid_x * block_x != 1) return 1;
  return add(stream, (struct work){.kind = CALL, .body = spin}, parameters[0], sizeof(uint64_t));
}

API int fake_cuda_enqueue(void *stream, void (*body)(void *argument), const void *argument,
                          size_t size) {
  if (at_launches) at_launches();
  return add(stream, (struct work){.kind = CALL, .body = body}, argument, size);
}
API void fake_cuda_after_fills(void (*then)(void)) { after_fills = then; }
API void fake_cuda_at_waits(void (*enter)(void)) { at_waits = enter; }
API void fake_cuda_at_launches(void (*then)(void)) { at_launches = then; }
API int fake_cuda_aside(void (*body)(void *argument), const void *argument, size_t size) {
  struct work work = {.kind = CALL, .body = body, .argument = malloc(size)};
  memcpy(work.argument, argument, size);
  aside.items[aside.count++] = work;
  return 0;
}
API bool fake_cuda_is_captured(void *stream) {
  return stream != STREAM_LEGACY && stream && ((const struct stream *)stream)->captured;
}
API int fake_cuda_wait(void *stream) {
  struct stream *s = stream;
  if (s->captured) {
    s->captured->count = -1;
    return CAPTURED;
  }
  return cuStreamSynchronize(stream);
}
