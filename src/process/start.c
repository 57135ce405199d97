/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a child process, with or without a sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "process/environment.h"
#include "process/orphans.h"
#include "process/process.h"
#include "process/sandbox.h"
#include "process/shield.h"

/* A message of the child through a pipe that exec closes. */
struct note {
  enum { BORN = 1, ISOLATED, NO_NAMESPACES, FAILED } kind;
  int value;          /* ISOLATED: enum pawl_isolation; FAILED: errno */
  pid_t child, first; /* BORN: in namespaces, by our own numbers */
  bool unbound;       /* it is not in its control group */
};

/* All that the child needs, prepared before the fork. */
struct pawl_child {
  const struct pawl_process_options *options;
  const char *program;
  const char **environment;
  const struct pawl_sandbox_plan *plan; /* NULL: no sandbox */
  const struct pawl_cgroup *group;
  pid_t parent;
  int report[2];
};

/* All functions below run in the child between fork and exec. They use async-signal-safe calls
   only. */

_Noreturn static void tell_and_end(int report, struct note note) {
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
    const struct note note = {.kind = ISOLATED, .value = (int)isolation, .unbound = unbound};
    if (write(child->report[1], &note, sizeof note) < 0) _exit(126);
  }
  if (options->shield_us) pawl_shield(mounted ? 0 : child->parent);
}

_Noreturn static void run_child(const struct pawl_child *child, bool mounted) {
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
  if (high >= 0 && (!options->cpus || pawl_cpus_bind(options->cpus)) &&
      (!folder || !chdir(folder)) && place_descriptors(options, high))
    execve(child->program, (char *const *)(const void *)options->argv,
           (char *const *)(const void *)child->environment);
  tell_and_end(high >= 0 ? high : child->report[1], (struct note){.kind = FAILED, .value = errno});
}

/* Forks a child of our own parent. */
static pid_t fork_sibling(void) {
  return (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_PARENT | SIGCHLD), NULL, NULL, NULL, NULL);
}

/* Makes the namespaces, and in them two children of our parent: process 1, which ends all others,
   and the child. */
_Noreturn static void run_founder(const struct pawl_child *child) {
  const bool unbound = !pawl_cgroup_enter(child->group); /* with all that it starts */
  if (!pawl_sandbox_unshare(child->plan))
    tell_and_end(child->report[1], (struct note){.kind = NO_NAMESPACES});
  struct note born = {.kind = BORN, .unbound = unbound};
  born.first = fork_sibling();
  if (born.first == 0) {
    setpgid(0, 0);
    if (child->options->die_with_parent) die_with(child);
    pawl_sandbox_run_first();
  }
  born.child = born.first > 0 ? fork_sibling() : -1;
  if (born.child == 0) {
    if (!pawl_sandbox_mount(child->plan))
      tell_and_end(child->report[1], (struct note){.kind = NO_NAMESPACES});
    run_child(child, true);
  }
  if (born.child < 0) born = (struct note){.kind = FAILED, .value = errno, .first = born.first};
  tell_and_end(child->report[1], born);
}

/* The functions below run in pawl itself. */

static bool next_note(int report, struct note *note) {
  ssize_t got;
  do got = read(report, note, sizeof *note);
  while (got < 0 && errno == EINTR);
  return got == sizeof *note;
}

static void start_await(pid_t pid) {
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

static bool is_program(const char *path) { return !access(path, X_OK) && !pawl_is_folder(path); }

char *pawl_process_find(const char *name) {
  if (strchr(name, '/')) return is_program(name) ? pawl_path_join(".", name) : NULL;
  const char *path = getenv("PATH"), *folder;
  if (!path) path = PAWL_DEFAULT_PATH;
  for (size_t length; pawl_next_folder(&path, &folder, &length);) {
    struct pawl_text candidate = {0};
    pawl_text_printf(&candidate, "%.*s/%s", (int)length, folder, name);
    if (is_program(candidate.data)) return candidate.data;
    pawl_text_clear(&candidate);
  }
  return NULL;
}

void pawl_process_forget(struct pawl_process *process) {
  if (process->first > 0) {
    kill(process->first, SIGKILL); /* also ends every process of the sandbox */
    while (waitpid(process->first, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  if (process->scratch &&
      pawl_remove_tree(process->scratch, NULL) != PAWL_OK) { /* a leftover folder does no harm */
  }
  pawl_free(process->scratch);
  const struct pawl_cgroup_events events = pawl_cgroup_events(&process->group);
  pawl_cgroup_end(&process->group);
  pawl_orphans_forget(process->pid);
  *process = (struct pawl_process){
      .isolation = process->isolation, .bounds = process->bounds, .events = events};
}

/* Starts a child. *refused: the machine allows no namespaces. Returns an errno. */
static int process_start_one(const struct pawl_child *child, struct pawl_process *out,
                             bool *refused) {
  const bool founds = child->plan && child->plan->namespaces;
  pid_t pid = fork();
  if (pid == 0) {
    close(child->report[0]);
    if (founds) run_founder(child);
    run_child(child, false);
  }
  const int fork_errno = errno;
  close(child->report[1]);
  if (pid < 0) return fork_errno;
  struct pawl_process process = {.pid = founds ? 0 : pid};
  if (!founds) setpgid(pid, pid); /* both sides call it, because either may come first */
  int number = 0;
  for (struct note note; next_note(child->report[0], &note);) {
    if (note.first) process.first = note.first;
    if (note.unbound) out->group.bounds = PAWL_BOUNDS_NONE;
    if (note.kind == BORN) process.pid = note.child;
    if (note.kind == ISOLATED) process.isolation = (enum pawl_isolation)note.value;
    if (note.kind == NO_NAMESPACES) *refused = true;
    if (note.kind == FAILED) number = note.value;
  }
  if (founds) start_await(pid);
  /* another process has ended it */
  if (founds && !process.pid && !*refused && !number) number = ECHILD;
  if (number || *refused) {
    if (process.first > 0) kill(process.first, SIGKILL);
    start_await(process.pid);
    start_await(process.first);
    return number;
  }
  out->pid = process.pid;
  out->first = process.first;
  out->isolation = process.isolation;
  return 0;
}

/* Makes a control group. A sandbox works without one and reports that. */
static void make_group(struct pawl_cgroup *out, const struct pawl_sandbox *sandbox) {
  pawl_cgroup_make(out, pawl_cgroup_here(),
                   sandbox->processes ? sandbox->processes : pawl_cgroup_usual_processes());
  if (sandbox->memory) pawl_cgroup_bound_memory(out, sandbox->memory);
}

/* Starts the child with or without namespaces. *refused: the machine allows none. */
static pawl_status start_as(struct pawl_process *process,
                            const struct pawl_process_options *options, const char *program,
                            bool namespaces, bool *refused, struct pawl_error *err) {
  struct pawl_process started = {0};
  PAWL_CLEANUP(pawl_sandbox_plan_release) struct pawl_sandbox_plan plan = {0};
  if (options->sandbox) pawl_sandbox_plan_init(&plan, options->sandbox, namespaces);
  if (options->kill_descendants && !namespaces) pawl_descendants_mark(started.mark);
  struct pawl_sandbox_plan *used = options->sandbox ? &plan : NULL;
  if (used) make_group(&started.group, options->sandbox);
  PAWL_CLEANUP(pawl_free_pointer)
  const char **environment =
      pawl_process_environment(options->environment, options->drop_secrets, started.mark, used);
  const char *seen = plan.root
                         ? pawl_sandbox_seen(options->sandbox->views, options->sandbox->view_count,
                                             program, &plan.arena)
                         : NULL;
  struct pawl_child child = {.options = options,
                             .program = seen ? seen : program,
                             .environment = environment,
                             .plan = used,
                             .group = &started.group,
                             .parent = getpid()};
  if (pipe2(child.report, O_CLOEXEC)) {
    const int pipe_errno = errno;
    pawl_process_forget(&started);
    return pawl_fail_errno(err, pipe_errno, "cannot make a pipe");
  }
  pawl_orphans_begin_start(*started.mark);
  const int number = process_start_one(&child, &started, refused);
  pawl_orphans_end_start(started.pid, started.first, started.mark);
  close(child.report[0]);
  started.bounds =
      started.group.bounds & ~(started.group.memory_bytes ? 0u : (unsigned)PAWL_BOUNDS_MEMORY);
  started.scratch = plan.scratch ? pawl_path_join("", plan.scratch) : NULL;
  if (number || *refused) pawl_process_forget(&started);
  if (number) return pawl_fail_errno(err, number, "cannot start '%s'", options->argv[0]);
  *process = started;
  return PAWL_OK;
}

static _Atomic(enum {ROOT_UNKNOWN, ROOT_GIVEN, ROOT_REFUSED}) root_answer;

static void try_root(void) {
  const struct pawl_sandbox_view view = {.source = "/usr"};
  const struct pawl_sandbox sandbox = {.views = &view, .view_count = 1, .folder = "/usr"};
  const struct pawl_process_options options = {.argv = (const char *const[]){"true", NULL},
                                               .sandbox = &sandbox};
  struct pawl_process process = {0};
  bool refused = false;
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find("true");
  root_answer = ROOT_REFUSED;
  if (!program || start_as(&process, &options, program, true, &refused, NULL) != PAWL_OK || refused)
    return;
  root_answer = ROOT_GIVEN;
  start_await(process.pid);
  pawl_process_forget(&process);
}

bool pawl_sandbox_has_root(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (root_answer != ROOT_GIVEN) pthread_once(&once, try_root);
  return root_answer == ROOT_GIVEN;
}

bool pawl_sandbox_expects_root(void) { return root_answer != ROOT_REFUSED; }

/* Finds the program, whose path may be one of the child's own root folder. */
static pawl_status find_program(const struct pawl_process_options *options, char **out,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct pawl_sandbox *sandbox = options->sandbox;
  const char *name = options->argv[0];
  if (sandbox && sandbox->views && strchr(name, '/'))
    name = pawl_sandbox_unseen(sandbox->views, sandbox->view_count, name, &arena);
  *out = pawl_process_find(name);
  if (*out) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "no program '%s' to run; is it installed?", name);
}

/* Fails because a child that needs a root folder of its own, or a full sandbox, gets none. */
static pawl_status refuse_start(const struct pawl_process_options *options,
                                struct pawl_error *err) {
  if (options->sandbox->required)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "cannot run '%s' with 'isolation: required': this machine gives it no "
                     "namespaces of its own; 'pawl doctor' says why",
                     options->argv[0]);
  return pawl_fail(err, PAWL_TRY_AGAIN,
                   "cannot run '%s': the system refuses it the sandbox that it gives to others; "
                   "free some memory, then run it again",
                   options->argv[0]);
}

pawl_status pawl_process_start(struct pawl_process *process,
                               const struct pawl_process_options *options, struct pawl_error *err) {
  PAWL_ASSERT(options->fd_count <= PAWL_PROCESS_FDS && options->argv && options->argv[0]);
  PAWL_CLEANUP(pawl_free_pointer) char *program = NULL;
  PAWL_TRY(find_program(options, &program, err));
  bool refused = false;
  const struct pawl_sandbox *sandbox = options->sandbox;
  const bool views = sandbox && sandbox->views;
  const bool rooted =
      views && (sandbox->moved ? pawl_sandbox_expects_root() : pawl_sandbox_has_root());
  const bool namespaces = sandbox && (!views || rooted);
  if (namespaces) PAWL_TRY(start_as(process, options, program, true, &refused, err));
  if (namespaces && !refused) {
    if (views) root_answer = ROOT_GIVEN;
    return PAWL_OK;
  }
  /* The command may name paths of views, which mean nothing outside. */
  const bool gives = rooted && pawl_sandbox_has_root();
  if (sandbox && (sandbox->required || sandbox->moved || gives)) return refuse_start(options, err);
  return start_as(process, options, program, false, &(bool){false}, err);
}
