/* SPDX-License-Identifier: Apache-2.0 */
#include "process/cpus.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "process/stat.h"

#define SLICE_NS 100000 /* the shortest slice that Linux allows */
#define NICE (-4)       /* 2.4 times the weight of a usual thread */
#define STAT_CPU 36     /* fields of /proc/PID/stat from the state to the CPU: proc(5) */

static void add(struct pawl_cpus *cpus, bool *taken, int number) {
  if (taken[number]) return;
  taken[number] = true;
  cpus->numbers[cpus->count++] = number;
}

/* Reads a number below PAWL_CPU_LIMIT. Returns -1 if none stands here. */
static int read_number(const char **text) {
  const size_t digits = strspn(*text, "0123456789");
  if (digits < 1 || digits > 4) return -1;
  const int number = (int)strtol(*text, NULL, 10);
  *text += digits;
  return number < PAWL_CPU_LIMIT ? number : -1;
}

bool pawl_cpus_parse(const char *text, struct pawl_arena *arena, struct pawl_cpus *out) {
  bool taken[PAWL_CPU_LIMIT] = {false};
  struct pawl_cpus cpus = {.numbers = pawl_arena_alloc(arena, PAWL_CPU_LIMIT, sizeof(int))};
  for (;;) {
    const int first = read_number(&text);
    int last = first;
    if (*text == '-') text++, last = read_number(&text);
    if (first < 0 || last < first) return false;
    for (int number = first; number <= last; number++) add(&cpus, taken, number);
    if (*text == '\0') break;
    if (*text++ != ',') return false;
  }
  *out = cpus;
  return true;
}

const char *pawl_cpus_text(const struct pawl_cpus *cpus, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < cpus->count; i++)
    pawl_text_printf(&text, "%s%d", i ? "," : "", cpus->numbers[i]);
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

struct pawl_cpus pawl_cpus_of_process(struct pawl_arena *arena) {
  struct pawl_cpus cpus = {.numbers = pawl_arena_alloc(arena, PAWL_CPU_LIMIT, sizeof(int))};
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) CPU_ZERO(&set);
  for (int i = 0; i < PAWL_CPU_LIMIT; i++)
    if (CPU_ISSET((size_t)i, &set)) cpus.numbers[cpus.count++] = i;
  if (!cpus.count) cpus.count = 1; /* the system always has CPU 0 */
  return cpus;
}

bool pawl_cpus_bind(const struct pawl_cpus *cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < cpus->count; i++) CPU_SET((size_t)cpus->numbers[i], &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* Returns the CPU of a process, or -1 if it is unknown. */
static int cpu_of_process(pid_t process) {
  char line[PAWL_PROCESS_STAT];
  const char *field = pawl_process_stat(process, line);
  for (int i = 0; field && i < STAT_CPU; i++) {
    field = strchr(field, ' ');
    if (field) field++;
  }
  return field ? (int)strtol(field, NULL, 10) : -1;
}

void pawl_cpus_keep_off(const struct pawl_cpus *cpus, pid_t process) {
  int others[PAWL_CPU_LIMIT];
  struct pawl_cpus left = {.numbers = others};
  const int taken = cpu_of_process(process);
  for (size_t i = 0; i < cpus->count; i++)
    if (cpus->numbers[i] != taken) others[left.count++] = cpus->numbers[i];
  /* If the system refuses, the thread stays where it is. */
  pawl_cpus_bind(left.count ? &left : cpus);
}

/* struct sched_attr in its first version: sched_setattr(2). Some C libraries define that name. */
struct scheduling {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_ns, deadline_ns, period_ns;
};

/* A thread with a short slice gets a CPU sooner. The priority is only a little higher, against
   threads of a kernel that keep us off the CPUs. It takes a larger part of the time of our session
   or control group, and the worker loses that part on whatever CPU it runs. */
void pawl_cpus_go_first(void) {
  struct scheduling own = {.size = sizeof own};
  prctl(PR_SET_TIMERSLACK, 1);
  if (syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) || own.policy != SCHED_OTHER) return;
  own.slice_ns = SLICE_NS;
  syscall(SYS_sched_setattr, 0, &own, 0); /* has no effect before Linux 6.12 */
  if (own.nice > NICE) setpriority(PRIO_PROCESS, 0, NICE);
}
