/* SPDX-License-Identifier: Apache-2.0 */
#include "host/processor_samples.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

#define MOST_THREADS 64
#define BUFFER_PAGES 4 /* for each thread; a user may lock 516 KiB for all */
#define PERIOD_NS 100000
#define SAMPLES_A_CALL 200 /* the buffer must hold those of a long call */
#define SECONDS 0.3
#define MOST_CALLS 2000

/* A thread's samples. The kernel writes records into the pages after the first. */
struct sampled_thread {
  int file;
  struct perf_event_mmap_page *page;
};

struct processor_samples {
  struct sampled_thread threads[MOST_THREADS];
  int count, error;
  size_t page_bytes;
  uint64_t *addresses;
  size_t address_count, capacity;
  long long lost;
};

static void open_sampled(struct processor_samples *s, pid_t thread, uint64_t period) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                       .size = sizeof attributes,
                                       .config = PERF_COUNT_SW_CPU_CLOCK,
                                       .sample_period = period,
                                       .sample_type = PERF_SAMPLE_IP,
                                       .disabled = 1,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
  const int file =
      (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  void *page = file < 0 ? MAP_FAILED
                        : mmap(NULL, (1 + BUFFER_PAGES) * s->page_bytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED, file, 0);
  if (page == MAP_FAILED) {
    s->error = errno;
    if (file >= 0) close(file);
    return;
  }
  s->threads[s->count++] = (struct sampled_thread){file, page};
}

/* Opens the threads that the process has now. */
static void open_all(struct processor_samples *s, uint64_t period) {
  DIR *folder = opendir("/proc/self/task");
  for (const struct dirent *entry; folder && s->count < MOST_THREADS && (entry = readdir(folder));)
    if (*entry->d_name != '.') open_sampled(s, (pid_t)atoi(entry->d_name), period);
  if (folder) closedir(folder);
}

/* Copies from the ring, whose bytes wrap around. */
static void copy_from_ring(const struct processor_samples *s, const struct sampled_thread *thread,
                           uint64_t from, void *to, size_t bytes) {
  const size_t size = BUFFER_PAGES * s->page_bytes;
  const char *ring = (const char *)thread->page + s->page_bytes;
  for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ring[(from + i) % size];
}

static void drain(struct processor_samples *s, struct sampled_thread *thread) {
  const uint64_t head = __atomic_load_n(&thread->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = thread->page->data_tail;
  while (tail < head) {
    struct perf_event_header record;
    uint64_t value[2] = {0};
    copy_from_ring(s, thread, tail, &record, sizeof record);
    if (record.size < sizeof record) break;
    copy_from_ring(s, thread, tail + sizeof record, value,
                   record.size >= sizeof record + sizeof value ? sizeof value : sizeof *value);
    if (record.type == PERF_RECORD_SAMPLE) {
      s->addresses = pawl_grow(s->addresses, s->address_count, &s->capacity, sizeof *s->addresses);
      s->addresses[s->address_count++] = value[0];
    } else if (record.type == PERF_RECORD_LOST) {
      s->lost += (long long)value[1];
    }
    tail += record.size;
  }
  __atomic_store_n(&thread->page->data_tail, head, __ATOMIC_RELEASE);
}

static pawl_status processor_samples_call(struct processor_samples *s,
                                          const struct host_counted *counted, bool on,
                                          struct pawl_error *err) {
  PAWL_TRY(counted->prepare(counted->user, err));
  for (int i = 0; on && i < s->count; i++) ioctl(s->threads[i].file, PERF_EVENT_IOC_ENABLE, 0);
  const enum pawl_status_code status = counted->call(counted->user, err);
  for (int i = 0; on && i < s->count; i++) ioctl(s->threads[i].file, PERF_EVENT_IOC_DISABLE, 0);
  for (int i = 0; i < s->count; i++) drain(s, &s->threads[i]);
  return status;
}

/* The first call starts the kernel's threads, and its time gives the period. */
static pawl_status sample_all(struct processor_samples *s, const struct host_counted *counted,
                              struct pawl_error *err) {
  PAWL_TRY(processor_samples_call(s, counted, false, err));
  int64_t begin = pawl_clock_ns();
  PAWL_TRY(processor_samples_call(s, counted, false, err));
  const int64_t period = (pawl_clock_ns() - begin) / SAMPLES_A_CALL;
  open_all(s, period > PERIOD_NS ? (uint64_t)period : PERIOD_NS);
  if (!s->count)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "this process cannot sample its program counter: %s; set "
                     "kernel.perf_event_paranoid to 2 or less, and in a container allow "
                     "perf_event_open",
                     strerror(s->error));
  begin = pawl_clock_ns();
  for (int i = 0; i < MOST_CALLS && pawl_seconds_since(begin) < SECONDS; i++)
    PAWL_TRY(processor_samples_call(s, counted, true, err));
  if (!s->address_count)
    return pawl_fail(err, PAWL_UNAVAILABLE, "the calls are too short for a sample");
  return PAWL_OK;
}

static int processor_samples_by_address(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The base of the library that has the address, and its file's name. */
static const char *find_library(uint64_t address, uint64_t *base) {
  Dl_info info;
  *base = 0;
  if (!dladdr((void *)(uintptr_t)address, &info) || !info.dli_fname) return "unknown";
  *base = (uint64_t)(uintptr_t)info.dli_fbase;
  const char *slash = strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

/* Lists the samples but those of the worker's own code around a call. */
static json_t *processor_samples_list(struct processor_samples *s) {
  json_t *list = json_array();
  uint64_t own;
  find_library((uint64_t)(uintptr_t)host_processor_sample, &own);
  qsort(s->addresses, s->address_count, sizeof *s->addresses, processor_samples_by_address);
  for (size_t i = 0, next; i < s->address_count; i = next) {
    uint64_t base;
    const char *name = find_library(s->addresses[i], &base);
    for (next = i + 1; next < s->address_count && s->addresses[next] == s->addresses[i];) next++;
    if (base == own) continue;
    json_t *row = json_object(), *waits = json_object();
    pawl_json_set_string(row, "function", name);
    pawl_json_set_int(row, "offset", (long long)(s->addresses[i] - base));
    pawl_json_set_int(waits, "runs", (long long)(next - i));
    pawl_json_set(row, "waits", waits);
    json_array_append_new(list, row);
  }
  return list;
}

pawl_status host_processor_sample(const struct host_counted *counted, json_t **out,
                                  struct pawl_error *err) {
  struct processor_samples *s = pawl_alloc(1, sizeof *s);
  s->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  const enum pawl_status_code status = sample_all(s, counted, err);
  if (status == PAWL_OK) {
    *out = json_object();
    pawl_json_set(*out, "samples", processor_samples_list(s));
    pawl_json_set_int(*out, "dropped", s->lost);
  }
  for (int i = 0; i < s->count; i++) {
    munmap(s->threads[i].page, (1 + BUFFER_PAGES) * s->page_bytes);
    close(s->threads[i].file);
  }
  pawl_free(s->addresses);
  pawl_free(s);
  return status;
}
