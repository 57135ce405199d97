/* SPDX-License-Identifier: Apache-2.0 */
#include "host/processor_counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"

#define MAX_THREADS 256

#define TLB_READ_MISSES                                          \
  (PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
   PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

/* Only user mode, which an unprivileged process may count. */
static const struct {
  const char *key;
  uint32_t type;
  uint64_t config;
} events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"tlb_misses", PERF_TYPE_HW_CACHE, TLB_READ_MISSES},
    {"stalled_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};
#define EVENTS PAWL_COUNT(events)

struct host_processor_counters {
  /* Descriptors of perf_event_open(); -1: none. */
  int files[MAX_THREADS][EVENTS];
  int threads;
  /* The error of the first event that is not available; 0: none. */
  int error;
  struct rusage usage;
  double cpu_seconds;
};

static double cpu_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Opens the events of a thread and of the threads that it starts later. */
static int open_event(size_t event, pid_t thread) {
  struct perf_event_attr attributes = {
      .type = events[event].type,
      .size = sizeof attributes,
      .config = events[event].config,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .disabled = 1,
      .inherit = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void open_thread(struct host_processor_counters *counters, pid_t thread) {
  int *files = counters->files[counters->threads++];
  for (size_t i = 0; i < EVENTS; i++) {
    files[i] = open_event(i, thread);
    if (files[i] < 0 && !counters->error) counters->error = errno;
  }
}

static void switch_all(const struct host_processor_counters *counters, unsigned long request) {
  for (int i = 0; i < counters->threads; i++)
    for (size_t j = 0; j < EVENTS; j++)
      if (counters->files[i][j] >= 0) ioctl(counters->files[i][j], request, 0);
}

struct host_processor_counters *host_processor_counters_begin(void) {
  struct host_processor_counters *counters = pawl_alloc(1, sizeof *counters);
  DIR *folder = opendir("/proc/self/task");
  for (const struct dirent *entry;
       folder && counters->threads < MAX_THREADS && (entry = readdir(folder));)
    if (*entry->d_name != '.') open_thread(counters, (pid_t)atoi(entry->d_name));
  if (folder) closedir(folder);
  getrusage(RUSAGE_SELF, &counters->usage);
  counters->cpu_seconds = cpu_seconds();
  switch_all(counters, PERF_EVENT_IOC_ENABLE);
  return counters;
}

/* Returns the count of a file. Events that share the processor's counters in turn are scaled up.
 * NAN: the event never ran. */
static double read_event(int file) {
  uint64_t values[3]; /* the count, and the times enabled and running */
  if (read(file, values, sizeof values) != (ssize_t)sizeof values) return NAN;
  if (values[2] == 0) return values[1] == 0 ? 0 : NAN; /* its thread slept the whole time */
  return (double)values[0] * ((double)values[1] / (double)values[2]);
}

/* Sums over all threads. The sum is unknown if the count of one thread is. */
static double sum_event(const struct host_processor_counters *counters, size_t event) {
  double sum = counters->threads ? 0 : NAN;
  for (int i = 0; i < counters->threads; i++) {
    const int file = counters->files[i][event];
    sum += file < 0 ? NAN : read_event(file);
  }
  return sum;
}

static const char *processor_counters_reason_of(int error) {
  if (error == EACCES || error == EPERM)
    return "the system keeps them from this user: set kernel.perf_event_paranoid to 2 or less; in "
           "a container allow perf_event_open";
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return "this machine has none: a virtual machine needs a virtual PMU";
  return strerror(error);
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

json_t *host_processor_counters_end(struct host_processor_counters *counters) {
  switch_all(counters, PERF_EVENT_IOC_DISABLE);
  const double cpu = cpu_seconds() - counters->cpu_seconds;
  struct rusage usage;
  json_t *out = json_object();
  getrusage(RUSAGE_SELF, &usage);
  pawl_json_set_number(out, "cpu_s", cpu);
  pawl_json_set_number(out, "system_s",
                       seconds_of(usage.ru_stime) - seconds_of(counters->usage.ru_stime));
  pawl_json_set_number(out, "page_faults",
                       (double)(usage.ru_minflt - counters->usage.ru_minflt + usage.ru_majflt -
                                counters->usage.ru_majflt));
  pawl_json_set_number(out, "waits", (double)(usage.ru_nvcsw - counters->usage.ru_nvcsw));
  pawl_json_set_number(out, "preemptions", (double)(usage.ru_nivcsw - counters->usage.ru_nivcsw));
  for (size_t i = 0; i < EVENTS; i++)
    pawl_json_set_number(out, events[i].key, sum_event(counters, i));
  const bool counted = json_is_number(json_object_get(out, "cycles"));
  pawl_json_set_string(out, "reason",
                       counted ? NULL : processor_counters_reason_of(counters->error));
  for (int i = 0; i < counters->threads; i++)
    for (size_t j = 0; j < EVENTS; j++)
      if (counters->files[i][j] >= 0) close(counters->files[i][j]);
  pawl_free(counters);
  return out;
}
