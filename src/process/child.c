/* SPDX-License-Identifier: Apache-2.0 */
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/shield.h"

_Noreturn void pawl_child_fail(int report, struct pawl_child_note note) {
  if (write(report, &note, sizeof note) < 0) _exit(126);
  _exit(127);
}

static void set_limit(int resource, rlim_t value) {
  const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Puts options->fds into place. It needs two passes, because a source may have the number of a
   target. */
static bool place_descriptors(const struct pawl_process_options *options, int report) {
  int source[PAWL_PROCESS_FDS];
  const int count = options->fd_count < 3 ? 3 : options->fd_count;
  for (int i = 0; i < count; i++) {
    const int wanted = i < options->fd_count ? options->fds[i] : -1;
    source[i] = wanted >= 0 ? fcntl(wanted, F_DUPFD, PAWL_PROCESS_FDS) : -1;
    if (wanted >= 0 && source[i] < 0) return false;
  }
  for (int i = 0; i < count; i++) {
    if (source[i] >= 0) {
      if (dup2(source[i], i) < 0) return false;
    } else if (i < 3) {
      const int null = open("/dev/null", i ? O_WRONLY : O_RDONLY);
      if (null < 0 || (null != i && dup2(null, i) < 0)) return false;
    } else {
      close(i);
    }
  }
  if (report >= count) syscall(SYS_close_range, (unsigned)count, (unsigned)report - 1, 0);
  syscall(SYS_close_range, (unsigned)report + 1, ~0u, 0);
  return true;
}

static void die_with(const struct pawl_child *child) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd reader = {.fd = child->report[1], .events = 0}; /* POLLERR: the reader has gone */
  if (poll(&reader, 1, 0) > 0) _exit(127);
}

static void set_limits(const struct pawl_process_options *options) {
  set_limit(RLIMIT_CORE, 0);
  if (options->memory_limit) set_limit(RLIMIT_AS, options->memory_limit);
  if (options->cpu_limit_seconds > 0) set_limit(RLIMIT_CPU, (rlim_t)options->cpu_limit_seconds + 1);
}

/* Restricts the child. `mounted`: it has namespaces and files of its own. */
static void keep_apart(const struct pawl_child *child, bool mounted) {
  const struct pawl_process_options *options = child->options;
  if (child->plan) {
    const bool unbound = !mounted && !pawl_cgroup_enter(child->group);
    const enum pawl_isolation isolation = pawl_sandbox_enter(child->plan, mounted);
    const struct pawl_child_note note = {
        .kind = PAWL_CHILD_ISOLATED, .value = (int)isolation, .unbound = unbound};
    if (write(child->report[1], &note, sizeof note) < 0) _exit(126);
  }
  if (options->shield_us) pawl_shield(mounted ? 0 : child->parent);
}

int pawl_child_settle(const struct pawl_child *child, bool mounted) {
  const struct pawl_process_options *options = child->options;
  setpgid(0, 0);
  if (options->die_with_parent) die_with(child);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  keep_apart(child, mounted);
  set_limits(options);
  const char *folder = mounted ? child->plan->folder : options->folder;
  const int high = fcntl(child->report[1], F_DUPFD_CLOEXEC, PAWL_PROCESS_FDS);
  const bool settled = high >= 0 && (!options->cpus || pawl_cpus_bind(options->cpus)) &&
                       (!folder || !chdir(folder)) && place_descriptors(options, high);
  if (!settled)
    pawl_child_fail(high >= 0 ? high : child->report[1],
                    (struct pawl_child_note){.kind = PAWL_CHILD_FAILED, .value = errno});
  return high;
}

_Noreturn void pawl_child_run(const struct pawl_child *child, bool mounted) {
  const int report = pawl_child_settle(child, mounted);
  execve(child->program, (char *const *)(const void *)child->options->argv,
         (char *const *)(const void *)child->environment);
  pawl_child_fail(report, (struct pawl_child_note){.kind = PAWL_CHILD_FAILED, .value = errno});
}

_Noreturn void pawl_child_be_first(const struct pawl_child *child) {
  setpgid(0, 0);
  if (child->options->die_with_parent) die_with(child);
  pawl_sandbox_run_first();
}

/* Forks a child of our own parent. */
static pid_t fork_sibling(void) {
  return (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_PARENT | SIGCHLD), NULL, NULL, NULL, NULL);
}

_Noreturn void pawl_child_found(const struct pawl_child *child) {
  const bool unbound = !pawl_cgroup_enter(child->group); /* with all that it starts */
  if (!pawl_sandbox_unshare(child->plan))
    pawl_child_fail(child->report[1], (struct pawl_child_note){.kind = PAWL_CHILD_NO_NAMESPACES});
  struct pawl_child_note born = {.kind = PAWL_CHILD_BORN, .unbound = unbound};
  born.first = fork_sibling();
  if (born.first == 0) pawl_child_be_first(child);
  born.child = born.first > 0 ? fork_sibling() : -1;
  if (born.child == 0) {
    if (!pawl_sandbox_mount(child->plan))
      pawl_child_fail(child->report[1], (struct pawl_child_note){.kind = PAWL_CHILD_NO_NAMESPACES});
    pawl_child_run(child, true);
  }
  if (born.child < 0)
    born = (struct pawl_child_note){.kind = PAWL_CHILD_FAILED, .value = errno, .first = born.first};
  pawl_child_fail(child->report[1], born);
}
