/* SPDX-License-Identifier: Apache-2.0 */
#include "process/freeze.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "process/schedstat.h"
#include "process/stat.h"

#define MOST_ROUNDS 16 /* the processes may start others while pawl stops them */
#define STOP_NS 200000000
#define OFF_CPU_US 50
#define LATE_NS 1000000000
#define TRIAL_NS 10000000000
#define AT_WORK_NS 20000000 /* two ticks of a machine that counts in ticks */
/* A sandbox whose worker starts no process has two: process 1 and the worker. */
#define IN_SANDBOX 2

static struct pawl_frozen_task *freeze_find(const struct pawl_freeze *freeze, pid_t id) {
  for (size_t i = 0; i < freeze->count; i++)
    if (freeze->tasks[i].id == id) return &freeze->tasks[i];
  return NULL;
}

static void note(struct pawl_freeze *freeze, struct pawl_frozen_task task) {
  freeze->tasks = pawl_grow(freeze->tasks, freeze->count, &freeze->capacity, sizeof *freeze->tasks);
  freeze->tasks[freeze->count++] = task;
}

/* Returns the next entry of a folder of /proc that is a number, or 0. */
static pid_t next_number(DIR *folder) {
  for (const struct dirent *entry; (entry = readdir(folder));)
    if (isdigit((unsigned char)*entry->d_name)) return (pid_t)strtol(entry->d_name, NULL, 10);
  return 0;
}

/* Waits until an interrupted thread stops. Returns false if it has not, or if it has ended (*gone).
 *signal is the signal that it was about to get, or 0. */
static bool await_trap(pid_t thread, int64_t limit_ns, int *signal, bool *gone) {
  const int64_t begin = pawl_clock_ns();
  int status = 0;
  pid_t got;
  while ((got = waitpid(thread, &status, __WALL | WNOHANG)) == 0 &&
         pawl_clock_ns() - begin < limit_ns)
    sched_yield();
  *gone = got < 0 || (got > 0 && !WIFSTOPPED(status));
  *signal = got > 0 && WIFSTOPPED(status) && status >> 16 == 0 ? WSTOPSIG(status) : 0;
  return got > 0 && !*gone;
}

static bool freeze_thread(struct pawl_freeze *freeze, pid_t thread) {
  int signal = 0;
  bool gone = false;
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return errno == ESRCH;
  const bool asked = ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0;
  const bool stopped = await_trap(thread, STOP_NS, &signal, &gone);
  if (!gone) note(freeze, (struct pawl_frozen_task){.id = thread, .signal = signal});
  return (asked && stopped) || gone;
}

/* Resumes a thread. A thread that was killed meanwhile must be reaped here, because its process
   does not end before and nobody else can do it. A thread that stops only later must not stay
   stopped. Returns false if it has not stopped yet. */
static bool resume_thread(struct pawl_frozen_task *task) {
  int signal;
  bool gone;
  if (ptrace(PTRACE_DETACH, task->id, NULL, (void *)(intptr_t)task->signal) == 0) return true;
  const bool stopped = await_trap(task->id, task->late ? 0 : LATE_NS, &signal, &gone);
  task->late = true;
  return gone || (stopped && ptrace(PTRACE_DETACH, task->id, NULL, (void *)(intptr_t)signal) == 0);
}

/* Freezes the other threads. *found counts those that were not frozen before. */
static bool freeze_threads(struct pawl_freeze *freeze, pid_t pid, int *found) {
  char path[64];
  bool frozen = true;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
  DIR *folder = opendir(path);
  if (!folder) return false;
  for (pid_t thread; (thread = next_number(folder));) {
    if (thread == pid || freeze_find(freeze, thread)) continue;
    ++*found;
    frozen = freeze_thread(freeze, thread) && frozen;
  }
  closedir(folder);
  return frozen;
}

/* Counts the processes of a process's sandbox, by the sandbox's own /proc. Returns -1 if that
   fails. */
static int count_processes(pid_t pid) {
  char path[64];
  int count = 0;
  snprintf(path, sizeof path, "/proc/%ld/root/proc", (long)pid);
  DIR *folder = opendir(path);
  if (!folder) return -1;
  while (next_number(folder)) count++;
  closedir(folder);
  return count;
}

static bool shares_namespace(pid_t pid, const char *space, size_t length) {
  char path[64], other[64];
  snprintf(path, sizeof path, "/proc/%ld/ns/pid", (long)pid);
  return readlink(path, other, sizeof other) == (ssize_t)length && !memcmp(other, space, length);
}

/* Returns the letter of a process's state, or 'X' if it has ended. */
static char freeze_state_of(pid_t pid) {
  char line[PAWL_PROCESS_STAT];
  const char *fields = pawl_process_stat(pid, line);
  return fields ? *fields : 'X';
}

/* Returns whether no thread of the process runs or is inside a system call. The first thread stops
   before the others do. */
static bool have_all_stopped(pid_t pid) {
  char path[64];
  bool stopped = true;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
  DIR *folder = opendir(path);
  if (!folder) return true; /* has ended */
  for (pid_t thread; stopped && (thread = next_number(folder));)
    stopped = strchr("TtZX", freeze_state_of(thread));
  closedir(folder);
  return stopped;
}

/* Returns the CPU time of all threads that a process has had, or 0. */
static int64_t freeze_cpu_ns(pid_t pid) {
  clockid_t clock;
  return pawl_clock_of_process(pid, &clock) ? pawl_clock_read_ns(clock) : 0;
}

/* Stops a process and waits. A thread that has just stopped may still be on its way off the CPU,
   and be counted as preempted there. */
static bool stop_process(struct pawl_freeze *freeze, pid_t pid, double seconds) {
  const int64_t begin = pawl_clock_ns();
  if (kill(pid, SIGSTOP) != 0) return errno == ESRCH;
  if (!freeze_find(freeze, pid))
    note(freeze, (struct pawl_frozen_task){.id = pid, .process = true});
  struct pawl_frozen_task *task = freeze_find(freeze, pid);
  while (!have_all_stopped(pid)) {
    if (pawl_seconds_since(begin) > seconds) {
      task->cpu_ns = freeze_cpu_ns(pid);
      return false;
    }
    sched_yield();
  }
  usleep(OFF_CPU_US);
  task->still = true;
  task->turns = pawl_schedstat_turns(pid);
  return true;
}

static bool is_still(const struct pawl_freeze *freeze, pid_t pid) {
  const struct pawl_frozen_task *task = freeze_find(freeze, pid);
  return task && task->still;
}

/* Stops the other processes of the worker's sandbox, whose numbers there differ from ours. Never
   stops processes of our own namespace. */
static bool stop_processes(struct pawl_freeze *freeze, const struct pawl_freezable *process,
                           double seconds, int *found) {
  char path[64], space[64];
  if (count_processes(process->pid) == IN_SANDBOX) return true;
  snprintf(path, sizeof path, "/proc/%ld/ns/pid", (long)process->pid);
  const ssize_t length = readlink(path, space, sizeof space);
  const bool is_ours = length > 0 && shares_namespace(getpid(), space, (size_t)length);
  DIR *folder = length > 0 && !is_ours ? opendir("/proc") : NULL;
  bool stopped = folder != NULL;
  for (pid_t pid; folder && (pid = next_number(folder));) {
    if (pid == process->pid || pid == process->first || is_still(freeze, pid)) continue;
    if (!shares_namespace(pid, space, (size_t)length) || freeze_state_of(pid) == 'Z') continue;
    ++*found;
    /* all of them together have this time */
    stopped = stop_process(freeze, pid, stopped ? seconds : 0) && stopped;
  }
  if (folder) closedir(folder);
  return stopped;
}

/* Stops all that the process can have started, until a round finds nothing new. One that does not
 * stop saves no other. */
static bool freeze_rest(struct pawl_freeze *freeze, const struct pawl_freezable *process,
                        bool threads, double seconds) {
  bool frozen = true;
  size_t known;
  int found, round = 0;
  do {
    known = freeze->count;
    found = 0;
    if (threads) frozen = freeze_threads(freeze, process->pid, &found) && frozen;
    if (process->first > 0)
      frozen = stop_processes(freeze, process, frozen ? seconds : 0, &found) && frozen;
  } while (found && (frozen || freeze->count > known) && ++round < MOST_ROUNDS);
  return frozen && !found;
}

bool pawl_freeze_others(struct pawl_freeze *freeze, const struct pawl_freezable *process) {
  return freeze_rest(freeze, process, true, PAWL_FREEZE_SECONDS);
}

bool pawl_freeze_all(struct pawl_freeze *freeze, const struct pawl_freezable *process,
                     double seconds) {
  const bool still = is_still(freeze, process->pid) || stop_process(freeze, process->pid, seconds);
  const size_t before = freeze->count;
  const bool frozen = freeze_rest(freeze, process, false, still ? seconds : 0) && still;
  /* They may have resumed the process before they stopped. */
  return frozen && (freeze->count == before || have_all_stopped(process->pid));
}

/* Adds the children of one thread. Returns false if this system does not list them
   (CONFIG_PROC_CHILDREN). */
static bool note_children(struct pawl_freeze *freeze, pid_t pid, pid_t thread) {
  char path[64];
  long child;
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)thread);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  while (fscanf(file, "%ld", &child) == 1)
    if (!freeze_find(freeze, (pid_t)child))
      note(freeze, (struct pawl_frozen_task){.id = (pid_t)child, .process = true});
  fclose(file);
  return true;
}

/* Adds the children of the first `count` tasks, by the parent that each process names. */
static void note_all_children(struct pawl_freeze *freeze, size_t count) {
  const struct pawl_freeze parents = {.tasks = freeze->tasks, .count = count};
  char line[PAWL_PROCESS_STAT];
  pid_t *children = NULL;
  size_t found = 0, capacity = 0;
  DIR *folder = opendir("/proc");
  for (pid_t pid; folder && (pid = next_number(folder));) {
    const char *fields = pawl_process_stat(pid, line);
    const pid_t parent = fields ? (pid_t)strtol(fields + 1, NULL, 10) : 0;
    if (parent <= 0 || !freeze_find(&parents, parent) || freeze_find(freeze, pid)) continue;
    children = pawl_grow(children, found, &capacity, sizeof *children);
    children[found++] = pid;
  }
  if (folder) closedir(folder);
  for (size_t i = 0; i < found; i++)
    note(freeze, (struct pawl_frozen_task){.id = children[i], .process = true});
  pawl_free(children);
}

/* Adds the children of the stopped tasks first to end. A parent must stop before its child: until
   the child executes another program, the parent may wait for it in vfork(2) and cannot stop. */
static void note_next_level(struct pawl_freeze *freeze, size_t first, size_t end) {
  bool listed = true;
  for (size_t i = first; listed && i < end; i++) {
    char path[64];
    const pid_t pid = freeze->tasks[i].id;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    if (!folder) continue; /* has ended */
    for (pid_t thread; listed && (thread = next_number(folder));)
      listed = note_children(freeze, pid, thread) || freeze_state_of(pid) == 'X';
    closedir(folder);
  }
  if (!listed) note_all_children(freeze, end);
}

bool pawl_freeze_trees(struct pawl_freeze *freeze, const pid_t *roots, size_t count,
                       double seconds) {
  const int64_t begin = pawl_clock_ns();
  bool stopped = true;
  size_t first = freeze->count;
  for (size_t i = 0; i < count; i++)
    note(freeze, (struct pawl_frozen_task){.id = roots[i], .process = true});
  for (size_t end; first < (end = freeze->count); first = end) {
    for (size_t i = first; i < end; i++)
      kill(freeze->tasks[i].id, SIGSTOP); /* stops all of a level at once, then waits */
    for (size_t i = first; i < end; i++) {
      while (!have_all_stopped(freeze->tasks[i].id) && pawl_seconds_since(begin) <= seconds)
        sched_yield();
      stopped = stopped && pawl_seconds_since(begin) <= seconds;
    }
    note_next_level(freeze, first, end);
  }
  return stopped;
}

void pawl_freeze_request(struct pawl_freeze *freeze, const struct pawl_freezable *process) {
  if (kill(process->pid, SIGSTOP) == 0)
    note(freeze, (struct pawl_frozen_task){.id = process->pid, .process = true});
}

bool pawl_freeze_end(struct pawl_freeze *freeze) {
  bool stood = true;
  size_t kept = 0;
  for (size_t i = 0; i < freeze->count; i++) {
    struct pawl_frozen_task *task = &freeze->tasks[i];
    if (task->process && task->still)
      stood = pawl_schedstat_turns(task->id) <= task->turns && stood;
    else if (task->cpu_ns)
      stood = freeze_cpu_ns(task->id) - task->cpu_ns < AT_WORK_NS && stood;
    if (task->process)
      kill(task->id, SIGCONT);
    else if (!resume_thread(task))
      freeze->tasks[kept++] = *task;
  }
  freeze->count = kept;
  return stood;
}

void pawl_freeze_release(struct pawl_freeze *freeze) {
  pawl_freeze_end(freeze);
  pawl_free(freeze->tasks);
  *freeze = (struct pawl_freeze){0};
}

static void *sleep_on(void *unused) {
  for (;;) pause();
  return unused;
}

/* Runs a child with a second thread, which dies with us. Our own memory is closed to other
   processes, but a worker's is not. */
_Noreturn static void run_trial(void) {
  pthread_t thread;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (pthread_create(&thread, NULL, sleep_on, NULL)) _exit(1);
  sleep_on(NULL);
  _exit(0);
}

bool pawl_freeze_available(void) {
  struct pawl_freeze freeze = {0};
  const struct pawl_freezable child = {.pid = fork()};
  if (child.pid == 0) run_trial();
  if (child.pid < 0) return false;
  bool allowed = true;
  for (const int64_t begin = pawl_clock_ns();
       allowed && !freeze.count && pawl_clock_ns() - begin < TRIAL_NS;) {
    allowed = pawl_freeze_others(&freeze, &child);
    sched_yield();
  }
  const bool frozen = allowed && freeze.count == 1;
  pawl_freeze_release(&freeze);
  kill(child.pid, SIGKILL);
  while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR) {
  }
  return frozen;
}
