/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a child process, with or without a sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "process/child.h"
#include "process/environment.h"
#include "process/orphans.h"
#include "process/sandbox.h"

#define FORKED_SECONDS 30 /* in which a forked child is isolated */

static bool next_note(int report, struct pawl_child_note *note) {
  ssize_t got;
  do got = read(report, note, sizeof *note);
  while (got < 0 && errno == EINTR);
  return got == sizeof *note;
}

static bool is_readable(int report) {
  struct pollfd wait = {.fd = report, .events = POLLIN};
  int ready;
  do ready = poll(&wait, 1, FORKED_SECONDS * 1000);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
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
  const struct pawl_process_forker *forker = child->options->forker;
  const bool founds = forker || (child->plan && child->plan->namespaces);
  const pid_t pid = forker ? forker->fork(forker->context, child) - 1 : fork();
  if (pid == 0 && !forker) {
    close(child->report[0]);
    if (founds) pawl_child_found(child);
    pawl_child_run(child, false);
  }
  const int fork_errno = forker ? ECHILD : errno;
  close(child->report[1]);
  if (pid < 0) return fork_errno;
  struct pawl_process process = {.pid = founds ? 0 : pid};
  if (!founds) setpgid(pid, pid); /* both sides call it, because either may come first */
  int number = 0;
  for (struct pawl_child_note note;
       (!forker || is_readable(child->report[0])) && next_note(child->report[0], &note);) {
    if (note.first) process.first = note.first;
    if (note.unbound) out->group.bounds = PAWL_BOUNDS_NONE;
    if (note.kind == PAWL_CHILD_BORN) process.pid = note.child;
    if (note.kind == PAWL_CHILD_ISOLATED) process.isolation = (enum pawl_isolation)note.value;
    if (note.kind == PAWL_CHILD_NO_NAMESPACES) *refused = true;
    if (note.kind == PAWL_CHILD_FAILED) number = note.value;
  }
  if (founds) start_await(pid);
  if (forker && !forker->await(forker->context) && !*refused) number = ECHILD;
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
  pawl_orphans_begin_start(*started.mark || options->forker);
  const int number = process_start_one(&child, &started, refused);
  pawl_orphans_end_start(started.pid, started.first, started.mark);
  close(child.report[0]);
  started.bounds =
      started.group.bounds & ~(started.group.memory_bytes ? 0u : (unsigned)PAWL_BOUNDS_MEMORY);
  started.scratch = plan.scratch ? pawl_path_join("", plan.scratch) : NULL;
  if (number || *refused) pawl_process_forget(&started);
  if (number && options->forker)
    return pawl_fail(err, PAWL_UNAVAILABLE, "no process can be forked for '%s'", options->argv[0]);
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
