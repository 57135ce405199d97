/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/memory_limit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "worker/surroundings.h"
#include "worker/views.h"
#include "worker/worker.h"

/* Address space is not memory: thread stacks, allocators and mapped libraries reserve more than
 * they use. */
#define ADDRESS_SPACE_SLACK ((uint64_t)1 << 30)

/* A control group also counts page tables, the kernel's stacks of threads, and pages of files,
 * which it frees before it kills. */
#define GROUP_SLACK ((uint64_t)1 << 30)

uint64_t pawl_memory_shared_bytes(const struct pawl_worker *worker) {
  const struct pawl_worker_options *options = &worker->options;
  return (options->tensors ? options->tensors->size : 0) +
         (options->expected ? options->expected->size : 0);
}

uint64_t pawl_worker_private_bytes(const struct pawl_worker *worker) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%ld/status", (long)worker->process.pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  uint64_t anonymous = 0, shmem = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "RssAnon: %" SCNu64, &anonymous) == 1) continue;
    if (sscanf(line, "RssShmem: %" SCNu64, &shmem) == 1) break;
  }
  fclose(file);
  const uint64_t arenas = pawl_memory_shared_bytes(worker), shared = shmem << 10;
  return (anonymous << 10) + (shared > arenas ? shared - arenas : 0);
}

enum pawl_status_code pawl_memory_exhausted(struct pawl_worker *worker, const char *doing,
                                            struct pawl_error *err) {
  return pawl_worker_terminate(worker, PAWL_CAUSE_MEMORY, doing, err,
                               "ran out of memory: its limit is %.0f MiB beyond the tensors",
                               (double)worker->options.memory_limit / (1 << 20));
}

uint64_t pawl_memory_of_group(const struct pawl_worker *worker) {
  const uint64_t limit = worker->options.memory_limit;
  return limit ? limit + worker->extra_bytes + pawl_memory_shared_bytes(worker) + GROUP_SLACK : 0;
}

/* A process with copies needs no tree, unless its interpreter or pawl itself lies there. */
static const char *hidden_tree(const struct pawl_worker *worker) {
  const struct pawl_surroundings *around = worker->options.surroundings;
  for (size_t i = 0; i < around->allowed.count; i++)
    if (pawl_path_holds(around->user_tree, around->allowed.items[i])) return NULL;
  return pawl_path_holds(around->user_tree, around->pawl_home) ? NULL : around->user_tree;
}

const struct pawl_sandbox *pawl_worker_sandbox(struct pawl_worker *worker, const char *shared,
                                               struct pawl_sandbox *sandbox) {
  const struct pawl_worker_options *options = &worker->options;
  if (options->isolate == PAWL_ISOLATE_OFF || options->wrapper) return NULL;
  pawl_worker_find_views(worker);
  *sandbox = (struct pawl_sandbox){.views = worker->views,
                                   .view_count = worker->view_count,
                                   .folder = options->folder,
                                   .shared = shared,
                                   .required = options->isolate == PAWL_ISOLATE_REQUIRED,
                                   .moved = worker->views != NULL};
  memcpy(sandbox->hidden, options->hidden, sizeof sandbox->hidden);
  if (worker->copies) sandbox->hidden[PAWL_SANDBOX_HIDDEN - 1] = hidden_tree(worker);
  sandbox->processes = options->most_processes;
  sandbox->memory = pawl_memory_of_group(worker);
  return sandbox;
}

enum pawl_status_code pawl_processes_exhausted(struct pawl_worker *worker, const char *doing,
                                               struct pawl_error *err) {
  const uint64_t most = worker->options.most_processes;
  return pawl_worker_terminate(worker, PAWL_CAUSE_PROCESSES, doing, err,
                               "started too many processes: its limit is %" PRIu64
                               " processes and threads",
                               most ? most : pawl_cgroup_usual_processes());
}

pawl_status pawl_memory_watch(struct pawl_worker *worker, const char *doing,
                              struct pawl_error *err) {
  const int64_t now = pawl_clock_ns();
  const uint64_t limit = worker->options.memory_limit;
  if (now < worker->next_memory_watch) return PAWL_OK;
  worker->next_memory_watch = now + PAWL_MEMORY_WATCH_NS;
  const struct pawl_cgroup_events events = pawl_cgroup_events(&worker->process.group);
  if (events.refused) return pawl_processes_exhausted(worker, doing, err);
  if (events.killed) return pawl_memory_exhausted(worker, doing, err);
  if (limit && pawl_worker_private_bytes(worker) > limit + worker->extra_bytes)
    return pawl_memory_exhausted(worker, doing, err);
  return PAWL_OK;
}

uint64_t pawl_memory_oom_kills(void) {
  char line[128];
  uint64_t kills = 0;
  FILE *file = fopen("/proc/vmstat", "re");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "oom_kill %" SCNu64, &kills) == 1) break;
  }
  if (file) fclose(file);
  return kills;
}

/* AddressSanitizer reserves terabytes of addresses, so a worker built with it cannot have a limit.
 */
#if defined(__SANITIZE_ADDRESS__)
#define BOUNDS_ADDRESSES false
#elif defined(__has_feature)
#define BOUNDS_ADDRESSES !__has_feature(address_sanitizer)
#else
#define BOUNDS_ADDRESSES true
#endif

void pawl_memory_limit_address_space(struct pawl_worker *worker) {
  const uint64_t limit = worker->options.memory_limit;
  if (!BOUNDS_ADDRESSES || !limit || worker->options.cuda) return;
  const uint64_t bytes =
      limit + worker->extra_bytes + pawl_memory_shared_bytes(worker) + ADDRESS_SPACE_SLACK;
  struct rlimit now;
  if (prlimit(worker->process.pid, RLIMIT_AS, NULL, &now) != 0 || now.rlim_cur == bytes) return;
  /* RLIM_INFINITY is the largest number */
  now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
  prlimit(worker->process.pid, RLIMIT_AS, &now, NULL);
}

void pawl_memory_prefer_as_victim(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/oom_score_adj", (long)pid);
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  /* this is only a preference; the limits hold without it */
  if (write(fd, "1000", 4) < 0) {
  }
  close(fd);
}
