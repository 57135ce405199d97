/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/shield.h"

extern char **environ;

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin" /* where we were started with none */

/* Names that look like credentials, and the variables by which code hosts hand out power. */
static bool is_secret(const char *variable) {
  static const char *const parts[] = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "_KEY", "APIKEY", "CREDENTIAL", "_AUTH"};
  static const char *const names[] = {"ACTIONS_", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "SSH_", "GPG_"};
  char name[256];
  size_t length = 0;
  while (variable[length] && variable[length] != '=' && length + 1 < sizeof name) {
    name[length] = (char)toupper((unsigned char)variable[length]);
    length++;
  }
  name[length] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (strstr(name, parts[i])) return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (pawl_starts_with(name, names[i])) return true;
  }
  return false;
}

static bool same_name(const char *variable, const char *change) {
  const size_t length = strcspn(change, "=");
  return !strncmp(variable, change, length) && variable[length] == '=';
}

/* The child's environment, allocated as one array; its strings are borrowed. `mark` may be "". */
static const char **make_environment(const struct pawl_process_options *options, const char *mark) {
  size_t count = 0, changes = 0, kept = 0;
  while (environ[count]) count++;
  while (options->environment && options->environment[changes]) changes++;
  const char **environment = pawl_alloc(count + changes + 3, sizeof *environment);
  for (size_t i = 0; i < count; i++) {
    bool drop = options->drop_secrets && is_secret(environ[i]);
    for (size_t j = 0; j < changes && !drop; j++) drop = same_name(environ[i], options->environment[j]);
    if (!drop) environment[kept++] = environ[i];
  }
  for (size_t j = 0; j < changes; j++) {
    if (strchr(options->environment[j], '=')) environment[kept++] = options->environment[j];
  }
  if (!getenv("PATH")) environment[kept++] = "PATH=" DEFAULT_PATH; /* a compiler looks for its linker there */
  if (*mark) environment[kept++] = mark;
  return environment;
}

/* Everything below runs in the child between fork and exec: async-signal-safe calls only. */

static void set_limit(int resource, rlim_t value) {
  const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Puts options->fds into place. Two passes, because a source may sit where a target must go. */
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

_Noreturn static void run_child(const struct pawl_process_options *options, const char *program,
                                const char **environment, int report, pid_t parent) {
  setpgid(0, 0);
  if (options->die_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
  }
  if (options->shield_us) pawl_shield(parent);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  set_limit(RLIMIT_CORE, 0);
  if (options->memory_limit) set_limit(RLIMIT_AS, options->memory_limit);
  if (options->cpu_limit_seconds > 0) set_limit(RLIMIT_CPU, (rlim_t)options->cpu_limit_seconds + 1);
  const int high = fcntl(report, F_DUPFD_CLOEXEC, PAWL_PROCESS_FDS);
  if (high >= 0 && (!options->cpus || pawl_cpus_bind(options->cpus)) && (!options->folder || !chdir(options->folder)) &&
      place_descriptors(options, high))
    execve(program, (char *const *)(const void *)options->argv, (char *const *)(const void *)environment);
  const int number = errno;
  if (write(high >= 0 ? high : report, &number, sizeof number) < 0) _exit(126);
  _exit(127);
}

pawl_status pawl_process_start(struct pawl_process *process, const struct pawl_process_options *options,
                               struct pawl_error *err) {
  PAWL_ASSERT(options->fd_count <= PAWL_PROCESS_FDS && options->argv && options->argv[0]);
  PAWL_CLEANUP(pawl_free_pointer) char *program = pawl_process_find(options->argv[0]);
  if (!program) return pawl_fail(err, PAWL_UNAVAILABLE, "no program '%s' to run; is it installed?", options->argv[0]);
  struct pawl_process started = {0};
  if (options->kill_descendants) pawl_descendants_mark(started.mark);
  PAWL_CLEANUP(pawl_free_pointer) const char **environment = make_environment(options, started.mark);
  int report[2];
  if (pipe2(report, O_CLOEXEC)) return pawl_fail_errno(err, errno, "cannot make a pipe");
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) run_child(options, program, environment, report[1], parent);
  const int fork_errno = errno;
  close(report[1]);
  int number = 0;
  if (pid > 0) {
    setpgid(pid, pid); /* both sides do: whoever comes first */
    ssize_t got;
    do got = read(report[0], &number, sizeof number);
    while (got < 0 && errno == EINTR);
    if (got != sizeof number) number = 0;
  }
  close(report[0]);
  if (pid < 0) return pawl_fail_errno(err, fork_errno, "cannot start '%s'", options->argv[0]);
  if (number) {
    waitpid(pid, NULL, 0);
    return pawl_fail_errno(err, number, "cannot start '%s'", options->argv[0]);
  }
  started.pid = pid;
  *process = started;
  return PAWL_OK;
}

/* Collects how the process ended; `flags` as for wait4. False: still running. */
static bool reap(struct pawl_process *process, int flags, struct pawl_exit *out) {
  int status;
  struct rusage usage;
  pid_t got;
  do got = wait4(process->pid, &status, flags, &usage);
  while (got < 0 && errno == EINTR);
  if (got == 0) return false;
  out->status = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out->signal = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  out->peak_bytes = got > 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
  kill(-process->pid, SIGKILL); /* whatever it left running in its group */
  if (*process->mark) pawl_descendants_kill(process->mark);
  process->pid = 0;
  return true;
}

double pawl_process_cpu_seconds(const struct pawl_process *process) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process->pid);
  FILE *file = process->pid > 0 ? fopen(path, "re") : NULL;
  const bool read = file && fgets(line, sizeof line, file);
  if (file) fclose(file);
  const char *fields = read ? strrchr(line, ')') : NULL; /* the name before may hold anything */
  double user, system, children_user, children_system;
  if (!fields || sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf %lf %lf", &user, &system,
                        &children_user, &children_system) != 4)
    return 0;
  return (user + system + children_user + children_system) / (double)sysconf(_SC_CLK_TCK);
}

pawl_status pawl_process_wait(struct pawl_process *process, double seconds, struct pawl_exit *out,
                              struct pawl_error *err) {
  PAWL_ASSERT(process->pid > 0);
  const int64_t start = pawl_clock_ns();
  struct pawl_exit exit = {0};
  PAWL_CLEANUP(pawl_close) int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot watch process %ld", (long)process->pid);
  for (;;) {
    const double left = seconds - pawl_seconds_since(start);
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    const int ready = poll(&poll_fd, 1, seconds < 0 ? -1 : left > 0 ? (int)(left * 1e3) + 1 : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && seconds >= 0 && pawl_seconds_since(start) >= seconds) {
      exit.timed_out = true;
      kill(-process->pid, SIGKILL);
      kill(process->pid, SIGKILL);
    } else if (ready <= 0) {
      continue;
    }
    reap(process, 0, &exit);
    break;
  }
  exit.seconds = pawl_seconds_since(start);
  if (out) *out = exit;
  return PAWL_OK;
}

void pawl_process_kill(struct pawl_process *process) {
  if (!process || process->pid <= 0) return;
  kill(-process->pid, SIGKILL);
  kill(process->pid, SIGKILL);
  struct pawl_exit ignored = {0};
  reap(process, 0, &ignored);
}

/* Reads what there is from one pipe; beyond `limit` bytes it is dropped. Closes at the end of the stream. */
static void drain(int *fd, struct pawl_text *out, size_t limit) {
  char buffer[16384];
  const ssize_t got = read(*fd, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    pawl_close(fd);
    return;
  }
  const size_t room = out && out->length < limit ? limit - out->length : 0;
  if (room) pawl_text_add_bytes(out, buffer, (size_t)got < room ? (size_t)got : room);
}

/* Reads both pipes until they close or the time is up. A grandchild that keeps them open does not hold us for ever. */
static void collect(struct pawl_process *process, int pipes[2], double seconds, size_t limit,
                    struct pawl_text *const texts[2]) {
  const int64_t start = pawl_clock_ns();
  PAWL_CLEANUP(pawl_close) int child = (int)syscall(SYS_pidfd_open, process->pid, 0);
  bool ended = false;
  while (pipes[0] >= 0 || pipes[1] >= 0) {
    const double left = seconds < 0 ? 1 : seconds - pawl_seconds_since(start);
    if (left <= 0) return;
    struct pollfd polls[3] = {{.fd = pipes[0], .events = POLLIN},
                              {.fd = pipes[1], .events = POLLIN},
                              {.fd = ended ? -1 : child, .events = POLLIN}};
    const int ready = poll(polls, 3, ended ? 0 : left < 1 ? (int)(left * 1e3) + 1 : 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ended && ready <= 0) return;
    if (polls[2].revents) ended = true;
    for (int i = 0; i < 2; i++) {
      if (pipes[i] >= 0 && polls[i].revents) drain(&pipes[i], texts[i], limit);
    }
  }
}

pawl_status pawl_process_run(const struct pawl_process_options *options, double seconds, size_t limit,
                             struct pawl_text *out, struct pawl_text *errors, struct pawl_exit *exit,
                             struct pawl_error *err) {
  const bool merged = out && out == errors;
  int ends[2][2] = {{-1, -1}, {-1, -1}};
  if (out && pipe2(ends[0], O_CLOEXEC)) return pawl_fail_errno(err, errno, "cannot make a pipe");
  if (errors && !merged && pipe2(ends[1], O_CLOEXEC)) {
    const int number = errno;
    close(ends[0][0]), close(ends[0][1]);
    return pawl_fail_errno(err, number, "cannot make a pipe");
  }
  struct pawl_process_options child = *options;
  if (child.fd_count < 3) {
    for (int i = child.fd_count; i < 3; i++) child.fds[i] = -1;
    child.fd_count = 3;
  }
  child.fds[1] = ends[0][1];
  child.fds[2] = merged ? ends[0][1] : ends[1][1];
  struct pawl_process process = {0};
  const int64_t start = pawl_clock_ns();
  enum pawl_status_code status = pawl_process_start(&process, &child, err);
  pawl_close(&ends[0][1]);
  pawl_close(&ends[1][1]);
  int pipes[2] = {ends[0][0], ends[1][0]};
  if (status == PAWL_OK) {
    collect(&process, pipes, seconds, limit, (struct pawl_text *const[2]){out, errors});
    const double left = seconds < 0 ? -1 : seconds - pawl_seconds_since(start);
    status = pawl_process_wait(&process, seconds < 0 ? -1 : left > 0 ? left : 0, exit, err);
    if (exit) exit->seconds = pawl_seconds_since(start);
  }
  pawl_close(&pipes[0]);
  pawl_close(&pipes[1]);
  return status;
}

static bool is_program(const char *path) {
  return !access(path, X_OK) && !pawl_is_folder(path);
}

char *pawl_process_find(const char *name) {
  if (strchr(name, '/')) return is_program(name) ? pawl_path_join(".", name) : NULL;
  const char *path = getenv("PATH");
  for (const char *p = path ? path : DEFAULT_PATH; *p;) {
    const size_t length = strcspn(p, ":");
    struct pawl_text candidate = {0};
    pawl_text_printf(&candidate, "%.*s/%s", (int)length, p, name);
    if (length && is_program(candidate.data)) return candidate.data;
    pawl_text_clear(&candidate);
    p += length + (p[length] == ':');
  }
  return NULL;
}

void pawl_exit_describe(const struct pawl_exit *exit, struct pawl_text *out) {
  if (exit->timed_out) {
    pawl_text_printf(out, "timed out after %.3g s", exit->seconds);
  } else if (exit->signal) {
    const char *name = sigabbrev_np(exit->signal), *words = sigdescr_np(exit->signal);
    pawl_text_printf(out, "was killed by SIG%s (%s)", name ? name : "?", words ? words : "unknown signal");
  } else {
    pawl_text_printf(out, "exited with status %d", exit->status);
  }
}
