/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU: kernels work in place in the shared memory. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cache_evict.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/memory.h"
#include "host/host_device.h"
#include "host/late_inputs.h"
#include "host/processor_counters.h"
#include "host/processor_samples.h"
#include "host/thread_placement.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; earlier ones refuse it */
#endif

#define LINE_BYTES 64
#define PAGE_BYTES 4096
#define TLB_BYTES ((size_t)4096 * PAGE_BYTES) /* more pages than a TLB has */
#define TENSOR_ALIGNMENT 256
#define REFILL_LEAST ((size_t)64 << 20)
#define REFILL_CHUNK ((size_t)4 << 20)
#define REFILL_MAPPINGS 30000 /* half of what Linux allows a process by default */

struct cpu_state {
  /* Its bytes have pages of their own, because unread ones would share one page; NULL: none yet */
  unsigned char *flush;
  size_t flush_bytes;
  uint64_t flush_lines; /* the sum of its lines at the first flush; 0: none yet */
  _Atomic uint64_t flush_sum;
  int refill_fd, refill_byte; /* a file with only that byte; refill_fd 0: none yet */
  int64_t delay_ns;
  pawl_stamp *stamp; /* NULL: none */
  enum host_late late;
  struct host_processor_counters
      *counters;   /* the counters of the current range; NULL: there is none */
  json_t *counted; /* the counts of the last range; NULL: none */
};

static pawl_status cpu_open(void **state, struct pawl_error *err) {
  (void)err;
  *state = pawl_alloc(1, sizeof(struct cpu_state));
  return PAWL_OK;
}

/* Allocates from the system, page-aligned. If the system refuses the size, that is an error and not
   the end of the process. */
static pawl_status cpu_allocate(void *state, size_t bytes, void **out, struct pawl_error *err) {
  (void)state;
  void *data =
      mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct rlimit limit;
  const bool limited = data == MAP_FAILED && errno == ENOMEM && !getrlimit(RLIMIT_AS, &limit) &&
                       limit.rlim_cur != RLIM_INFINITY;
  if (limited)
    return pawl_fail(err, PAWL_NO_MEMORY,
                     "cannot allocate %zu bytes: 'memory_limit' of 'measure' does not allow them; "
                     "raise it",
                     bytes);
  if (data == MAP_FAILED) return pawl_fail_errno(err, errno, "cannot allocate %zu bytes", bytes);
  *out = data;
  return PAWL_OK;
}

static void cpu_release(void *state, void *data, size_t bytes) {
  (void)state;
  if (data) munmap(data, bytes ? bytes : 1);
}

/* A flush of fewer bytes than the TLB reaches looks at one line of each further page. */
static size_t flush_span(size_t bytes) { return bytes > TLB_BYTES ? bytes : TLB_BYTES; }

static void cpu_close(void *state) {
  struct cpu_state *cpu = state;
  if (!cpu) return;
  cpu_release(cpu, cpu->flush, flush_span(cpu->flush_bytes));
  if (cpu->refill_fd > 0) close(cpu->refill_fd);
  if (cpu->counters) json_decref(host_processor_counters_end(cpu->counters));
  json_decref(cpu->counted);
  pawl_free(cpu);
}

static pawl_status cpu_copy(void *state, void *to, const void *from, size_t bytes,
                            struct pawl_error *err) {
  (void)state, (void)err;
  if (to != from && bytes) memcpy(to, from, bytes);
  return PAWL_OK;
}

static pawl_status cpu_fill(void *state, void *data, int byte, size_t bytes,
                            struct pawl_error *err) {
  (void)state, (void)err;
  memset(data, byte, bytes);
  return PAWL_OK;
}

/* Returns a file whose bytes are all `byte`, or -1 if there is none. */
static int refill_file(struct cpu_state *cpu, int byte) {
  if (cpu->refill_fd > 0 && cpu->refill_byte == byte) return cpu->refill_fd;
  if (cpu->refill_fd > 0) close(cpu->refill_fd);
  cpu->refill_byte = byte;
  cpu->refill_fd = memfd_create("pawl-fill", MFD_CLOEXEC);
  void *data =
      cpu->refill_fd < 0 || ftruncate(cpu->refill_fd, REFILL_CHUNK)
          ? MAP_FAILED
          : mmap(NULL, REFILL_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->refill_fd, 0);
  if (data == MAP_FAILED) {
    if (cpu->refill_fd > 0) close(cpu->refill_fd);
    cpu->refill_fd = 0;
    return -1;
  }
  memset(data, byte, REFILL_CHUNK);
  munmap(data, REFILL_CHUNK);
  return cpu->refill_fd;
}

/* Maps copies of one small file over large memory. Pages that nobody writes then take neither time
 * nor memory. */
static pawl_status cpu_refill(void *state, void *data, int byte, size_t bytes,
                              struct pawl_error *err) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *begin = data, *end = begin + bytes;
  unsigned char *from = begin + (page - (uintptr_t)begin % page) % page;
  unsigned char *to = end - (uintptr_t)end % page;
  const int fd = bytes >= REFILL_LEAST && bytes / REFILL_CHUNK < REFILL_MAPPINGS
                     ? refill_file(state, byte)
                     : -1;
  if (fd < 0) return cpu_fill(state, data, byte, bytes, err);
  memset(begin, byte, (size_t)(from - begin));
  memset(to, byte, (size_t)(end - to));
  while (from < to) {
    const size_t left = (size_t)(to - from), size = left < REFILL_CHUNK ? left : REFILL_CHUNK;
    if (mmap(from, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
      return cpu_fill(state, from, byte, left, err);
    from += size;
  }
  return PAWL_OK;
}

/* Reads go through the caches. memset() does not: many processors and newer C libraries bypass the
 * caches for large writes, so the old contents stay there. */
static uint64_t sum_of_lines(const unsigned char *data, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i += LINE_BYTES) sum += data[i];
  return sum;
}

/* Each page begins with a byte of its own, so that other pages in its place have another sum. */
static pawl_status mark_pages(unsigned char *data, size_t bytes, struct pawl_error *err) {
  unsigned char marks[256];
  for (size_t at = 0; at < bytes; at += PAGE_BYTES) {
    const size_t number = at / PAGE_BYTES % sizeof marks;
    if (!number) PAWL_TRY(pawl_entropy(marks, sizeof marks, err));
    data[at] = marks[number];
  }
  return PAWL_OK;
}

static pawl_status allocate_flush(struct cpu_state *cpu, size_t bytes, struct pawl_error *err) {
  void *larger = NULL;
  PAWL_TRY(cpu_allocate(cpu, flush_span(bytes), &larger, err));
  madvise(larger, flush_span(bytes), MADV_NOHUGEPAGE); /* or few pages would be all of it */
  if (madvise(larger, bytes, MADV_POPULATE_WRITE)) memset(larger, 1, bytes);
  if (cpu->flush) cpu_release(cpu, cpu->flush, flush_span(cpu->flush_bytes));
  cpu->flush = larger;
  cpu->flush_bytes = bytes;
  cpu->flush_lines = 0;
  return mark_pages(cpu->flush, bytes, err);
}

static pawl_status cpu_flush(void *state, size_t bytes, struct pawl_error *err) {
  struct cpu_state *cpu = state;
  if (!bytes) return PAWL_OK;
  if (bytes > cpu->flush_bytes) PAWL_TRY(allocate_flush(cpu, bytes, err));
  /* The line differs from page to page, so that the lines are in all sets of a cache. */
  for (size_t at = bytes; at < flush_span(bytes); at += PAGE_BYTES)
    cpu->flush_sum += cpu->flush[at - at % PAGE_BYTES + at / PAGE_BYTES * LINE_BYTES % PAGE_BYTES];
  const uint64_t sum = sum_of_lines(cpu->flush, bytes);
  cpu->flush_sum += sum;
  if (bytes != cpu->flush_bytes) return PAWL_OK;
  if (!cpu->flush_lines) cpu->flush_lines = sum;
  if (sum != cpu->flush_lines)
    return pawl_fail(err, PAWL_FAILED, "changed the memory that pawl reads to flush the caches");
  return PAWL_OK;
}

static void cpu_evict(void *state, const void *data, size_t bytes) {
  (void)state;
  pawl_cache_evict_all(data, bytes);
}

static pawl_status cpu_hash(void *state, const struct host_span *spans, int count,
                            struct pawl_hash *out, struct pawl_error *err) {
  (void)state, (void)err;
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < count; i++) pawl_hasher_add(&hasher, spans[i].data, spans[i].bytes);
  *out = pawl_hasher_finish(&hasher);
  return PAWL_OK;
}

static void cpu_stamp(void *state, pawl_stamp *word, enum host_late late) {
  struct cpu_state *cpu = state;
  cpu->stamp = word;
  cpu->late = late;
}

static pawl_status cpu_profile(void *state, bool begin, struct pawl_error *err) {
  (void)err;
  struct cpu_state *cpu = state;
  if (begin && !cpu->counters) cpu->counters = host_processor_counters_begin();
  if (begin || !cpu->counters) return PAWL_OK;
  json_decref(cpu->counted);
  cpu->counted = host_processor_counters_end(cpu->counters);
  cpu->counters = NULL;
  return PAWL_OK;
}

static json_t *cpu_counters(void *state) {
  return json_incref(((struct cpu_state *)state)->counted);
}

static pawl_status cpu_count(void *state, const json_t *metrics, const struct host_counted *counted,
                             json_t **out, struct pawl_error *err) {
  (void)state;
  if (json_is_string(metrics)) return host_processor_sample(counted, out, err);
  return pawl_fail(err, PAWL_BAD_DATA, "request: no 'metrics' of this device can be counted");
}

static pawl_status cpu_delay(void *state, int64_t ns, struct pawl_error *err) {
  (void)err;
  ((struct cpu_state *)state)->delay_ns = ns;
  return PAWL_OK;
}

/* Waits without sleeping, so that the core's clock stays high and the scheduler is not involved. It
   is exact to 25 ns, one reading of the clock. */
static void wait_busy(int64_t ns) {
  if (ns <= 0) return;
  const int64_t until = pawl_clock_ns() + ns;
  while (pawl_clock_ns() < until) {
  }
}

/* The inputs that pawl has just written are in the caches of its own CPU. */
static void load_inputs(struct cpu_state *cpu, const struct pawl_launch *launch) {
  for (int i = 0; i < launch->tensor_count; i++) {
    const struct pawl_tensor *t = &launch->tensors[i];
    if (t->role != PAWL_OUT)
      cpu->flush_sum +=
          sum_of_lines(t->data, (size_t)pawl_tensor_elements(t) * pawl_dtype_size(t->dtype));
  }
}

/* Reads CLOCK_MONOTONIC_RAW around the call. A reading needs no system call and takes about 25 ns,
   and NTP does not slew this clock. pawl bounds claimed times by the same clock. */
static pawl_status cpu_time_calls(void *state, const struct pawl_kernel *kernel,
                                  struct pawl_launch *launch, int calls,
                                  const struct host_poisons *poisons, struct host_timing *timing,
                                  struct pawl_error *err) {
  (void)err;
  struct cpu_state *cpu = state;
  const int64_t delay_ns = cpu->delay_ns;
  int result = 0;
  host_threads_go_home();
  errno = 0; /* see crash.c */
  if (cpu->late) host_await_inputs(cpu->stamp);
  if (cpu->late == HOST_LATE_WARM) load_inputs(cpu, launch);
  const uint32_t begun = cpu->stamp ? atomic_load(cpu->stamp) + 1 : 0;
  const int64_t start = pawl_clock_ns();
  /* A signal handler of the kernel may run at any place. Before the clock was read, pawl sees that
     the call begins late; afterwards, the call is timed. A store, unlike an addition, does not wait
     for the word's cache line. */
  if (cpu->stamp) atomic_store_explicit(cpu->stamp, begun, memory_order_release);
  for (int i = 0; i < calls && result == 0; i++) {
    const struct host_poison *poison = poisons && i >= calls - poisons->count
                                           ? &poisons->list[i - (calls - poisons->count)]
                                           : NULL;
    if (poison && poison->address) *poison->address = poison->value;
    result = kernel->launch(launch);
    wait_busy(delay_ns);
  }
  const int64_t end = pawl_clock_ns();
  if (cpu->stamp) atomic_fetch_add(cpu->stamp, 1);
  if (cpu->late) host_tell_end(cpu->stamp);
  *timing = (struct host_timing){.ns = (double)(end - start), .number = result};
  return PAWL_OK;
}

/* A heap block of the exact size. A tool then sees each access past its end, and each read before
   the first write. */
static pawl_status cpu_allocate_apart(void *state, size_t bytes, void **out,
                                      struct pawl_error *err) {
  (void)state;
  const int number = posix_memalign(out, TENSOR_ALIGNMENT, bytes ? bytes : 1);
  return number ? pawl_fail_errno(err, number, "cannot allocate %zu bytes", bytes) : PAWL_OK;
}

static void cpu_release_apart(void *state, void *data, size_t bytes) {
  (void)state, (void)bytes;
  free(data);
}

/* The CPU under a tool that looks for wrong accesses: each tensor is a heap block of its own. */
const struct host_device host_device_cpu_apart = {
    .kind = PAWL_CPU,
    .unwritten_outputs = true,
    .hash_kind = PAWL_OUTPUT_HASH_XXH3,
    .open = cpu_open,
    .close = cpu_close,
    .allocate = cpu_allocate_apart,
    .release = cpu_release_apart,
    .upload = cpu_copy,
    .download = cpu_copy,
    .fill = cpu_fill,
    .flush = cpu_flush,
    .hash = cpu_hash,
    .time_calls = cpu_time_calls,
};

const struct host_device host_device_cpu = {
    .kind = PAWL_CPU,
    .in_place = true,
    .hash_kind = PAWL_OUTPUT_HASH_XXH3,
    .open = cpu_open,
    .close = cpu_close,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_copy,
    .download = cpu_copy,
    .fill = cpu_fill,
    .refill = cpu_refill,
    .flush = cpu_flush,
    .evict = cpu_evict,
    .hash = cpu_hash,
    .time_calls = cpu_time_calls,
    .profile = cpu_profile,
    .counters = cpu_counters,
    .count = cpu_count,
    .delay = cpu_delay,
    .stamp = cpu_stamp,
};
