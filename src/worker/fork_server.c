/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/fork_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "process/child_packet.h"
#include "worker/driver.h"
#include "worker/surroundings.h"
#include "worker/views.h"

#define DESCRIPTORS (1 + PAWL_CHILD_PACKET_FDS) /* the packet, and those of the packet */
#define ANSWER_BYTES 1024
#define IMPORT_SECONDS 60.0 /* PyTorch from a cold disk takes long */
#define FORK_SECONDS 30.0
#define SCRIPT_BYTES ((size_t)4 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fork_server_end(struct pawl_fork_server *server) {
  if (server->process.pid > 0) {
    pawl_close(&server->control);
    pawl_process_kill(&server->process);
  }
  server->importing = false;
}

void pawl_fork_servers_release(struct pawl_fork_servers *servers) {
  if (!servers) return;
  for (size_t i = 0; i < servers->count; i++) {
    fork_server_end(&servers->items[i]);
    pawl_free(servers->items[i].program);
  }
  *servers = (struct pawl_fork_servers){0};
}

/* --- requests --- */

/* Writes the child into a file in memory, which the founder reads. */
static int write_packet(const struct pawl_child *child, int fds[PAWL_CHILD_PACKET_FDS],
                        int *count) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packet = {0};
  *count = pawl_child_packet_write(child, &packet, fds);
  const int file = memfd_create("pawl-child", MFD_CLOEXEC);
  if (file < 0 || write(file, packet.data, packet.length) == (ssize_t)packet.length) return file;
  close(file);
  return -1;
}

static json_t *list_of(const char *const *words) {
  json_t *list = json_array();
  for (; words && *words; words++) json_array_append_new(list, json_string(*words));
  return list;
}

static bool send_request(int control, const struct pawl_child *child, const int *fds, int count) {
  union {
    char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    struct cmsghdr aligned;
  } rights = {0};
  json_t *argv = list_of(child->options->argv);
  json_array_set_new(argv, 0, json_string(child->program));
  json_t *request =
      json_pack("{s:o, s:o}", "argv", argv, "environment", list_of(child->environment));
  char *text = json_dumps(request, JSON_COMPACT);
  json_decref(request);
  if (!text) return false;
  struct iovec data = {text, strlen(text)};
  struct msghdr message = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = rights.bytes,
                           .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  *header = (struct cmsghdr){.cmsg_len = CMSG_LEN((size_t)count * sizeof(int)),
                             .cmsg_level = SOL_SOCKET,
                             .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(header), fds, (size_t)count * sizeof(int));
  const bool sent = sendmsg(control, &message, MSG_NOSIGNAL) == (ssize_t)data.iov_len;
  free(text);
  return sent;
}

/* A worker that nothing keeps apart, such as one with a profiler, could change the server, and with
 * it later workers. Only others like it come after it. */
static bool may_fork(struct pawl_fork_server *server, const struct pawl_child *child) {
  const bool apart = child->plan && (child->plan->namespaces || child->plan->scratch);
  if (child->plan && (!apart || server->exposed)) return false;
  server->exposed = server->exposed || !apart;
  return !server->unusable;
}

static bool fork_server_fork(void *context, const struct pawl_child *child) {
  struct pawl_fork_server *server = context;
  int fds[DESCRIPTORS], count = 0;
  if (!may_fork(server, child)) return false;
  fds[0] = write_packet(child, fds + 1, &count);
  const bool sent = fds[0] >= 0 && send_request(server->control, child, fds, count + 1);
  pawl_close(&fds[0]);
  return sent;
}

/* Reads an answer, "" or a reason. Returns false without one. */
static bool receive_answer(struct pawl_fork_server *server, double seconds,
                           char answer[ANSWER_BYTES]) {
  const int64_t begin = pawl_clock_ns();
  int ready = -1;
  do {
    struct pollfd wait = {.fd = server->control, .events = POLLIN};
    const double left = seconds - pawl_seconds_since(begin);
    ready = poll(&wait, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
  } while (ready < 0 && errno == EINTR);
  const ssize_t got = ready > 0 ? recv(server->control, answer, ANSWER_BYTES - 1, 0) : -1;
  answer[got > 0 ? got : 0] = '\0';
  return got > 0;
}

/* Says why a server does not work. */
static bool expect_ready(struct pawl_fork_server *server, double seconds) {
  char answer[ANSWER_BYTES];
  const bool answered = receive_answer(server, seconds, answer);
  if (answered && !strcmp(answer, "ready")) return true;
  pawl_log_info(server->log,
                "each process of '%s' imports its modules itself, which takes seconds: %s",
                server->program, answered ? answer : "the process that imports them once ended");
  server->unusable = true;
  return false;
}

static bool fork_server_await_child(void *context) { return expect_ready(context, FORK_SECONDS); }

/* --- the server --- */

/* Returns the interpreter if it is one of the machine, not of the repository. A change of the
 * repository must not decide what runs outside of a sandbox. */
static const char *find_program(struct pawl_worker *worker) {
  const struct pawl_worker_options *options = &worker->options;
  const char *forbidden = getenv("PAWL_FORK"); /* for a comparison */
  const char *name = options->argv[0], *slash = strrchr(name, '/');
  if (forbidden && !strcmp(forbidden, "0")) return NULL;
  if (!pawl_starts_with(slash ? slash + 1 : name, "python")) return NULL;
  const char *environment, *outside = pawl_worker_outside_program(worker, &environment);
  return outside || options->isolate != PAWL_ISOLATE_OFF ? outside : pawl_worker_argv(worker)[0];
}

/* Returns whether the script names a module that the server imports. In a kernel `pawl.` brings
 * PyTorch, and in an operator numpy alone. */
static bool needs_modules(const struct pawl_worker_options *options) {
  static const char *const words[] = {"torch", "triton", "pawl."};
  const size_t count = PAWL_COUNT(words) - (options->role == PAWL_ROLE_OPERATOR);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text script = {0};
  PAWL_CLEANUP(pawl_free_pointer)
  char *path = pawl_path_join(options->folder ? options->folder : ".", options->argv[1]);
  if (pawl_file_read(path, SCRIPT_BYTES, &script, NULL) != PAWL_OK) return false;
  for (size_t i = 0; i < count; i++)
    if (strstr(pawl_text_string(&script), words[i])) return true;
  return false;
}

/* Adds the folders of PYTHONPATH that a change of the repository cannot fill. */
static const char *python_path(struct pawl_worker *worker) {
  const struct pawl_surroundings *around = worker->options.surroundings;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  const char *list = getenv("PYTHONPATH"), *part;
  for (size_t length; list && pawl_next_folder(&list, &part, &length);) {
    const char *folder = pawl_arena_printf(&worker->arena, "%.*s", (int)length, part);
    PAWL_CLEANUP(pawl_free_pointer) char *real = *folder == '/' ? pawl_path_real(folder) : NULL;
    if (!real || (around && (pawl_path_holds(around->tree, real) ||
                             pawl_path_holds(around->user_tree, real))))
      continue;
    pawl_text_printf(&path, "%s%s", path.length ? ":" : "", folder);
  }
  return pawl_arena_printf(&worker->arena, "PYTHONPATH=%s", pawl_text_string(&path));
}

static pawl_status fork_server_start(struct pawl_fork_server *server, struct pawl_worker *worker,
                                     struct pawl_error *err) {
  const struct pawl_surroundings *around = worker->options.surroundings;
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  /* a folder of bytecode may be in the repository */
  const char *const environment[] = {"PAWL_PROTOCOL=1", python_path(worker),   "LD_PRELOAD",
                                     "LD_AUDIT",        "PYTHONPYCACHEPREFIX", NULL};
  const char *const argv[] = {
      server->program,
      "-S", /* pawl_fork.py adds the installation itself */
      pawl_arena_printf(&worker->arena, "%s/share/pawl/python/pawl_fork.py", home),
      pawl_arena_printf(&worker->arena, "%s/libexec/pawl/libpawl-forked.so", home),
      around ? around->tree : NULL,
      around ? around->user_tree : NULL,
      NULL};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return pawl_fail_errno(err, errno, "cannot make the connection to a fork server");
  const struct pawl_process_options process = {.argv = argv,
                                               .folder = "/",
                                               .environment = environment,
                                               .drop_secrets = true,
                                               .die_with_parent = true,
                                               .fds = {-1, -1, -1, ends[1]},
                                               .fd_count = 4};
  const enum pawl_status_code status = pawl_process_start(&server->process, &process, err);
  close(ends[1]);
  if (status != PAWL_OK) close(ends[0]);
  if (status != PAWL_OK) return status;
  server->control = ends[0];
  server->importing = true;
  server->began = pawl_clock_ns();
  return PAWL_OK;
}

/* Returns the server of the worker's interpreter, which it starts if necessary, or NULL. */
static struct pawl_fork_server *find_server(struct pawl_worker *worker) {
  struct pawl_fork_servers *servers = worker->options.fork_servers;
  struct pawl_error ignored;
  const char *program = find_program(worker);
  if (!program || !needs_modules(&worker->options)) return NULL;
  size_t place = 0;
  while (place < servers->count && strcmp(servers->items[place].program, program) != 0) place++;
  if (place == PAWL_FORK_SERVERS) return NULL;
  struct pawl_fork_server *server = &servers->items[place];
  if (server->process.pid > 0 || server->unusable) return server;
  servers->count += place == servers->count;
  if (!server->program) server->program = pawl_path_join("", program);
  server->log = worker->options.log;
  server->forker = (struct pawl_process_forker){
      .context = server, .fork = fork_server_fork, .await = fork_server_await_child};
  server->unusable = fork_server_start(server, worker, &ignored) != PAWL_OK;
  return server;
}

static void await_import(struct pawl_fork_server *server) {
  if (!server->importing) return;
  server->importing = false;
  if (expect_ready(server, IMPORT_SECONDS))
    pawl_log_detail(server->log, "'%s' imported the modules of its scripts in %.3f s",
                    server->program, pawl_seconds_since(server->began));
}

static bool still_imports(const struct pawl_fork_server *server) {
  struct pollfd answer = {.fd = server->control, .events = POLLIN};
  return server->importing && !server->unusable && poll(&answer, 1, 0) == 0;
}

bool pawl_fork_servers_begin(const struct pawl_worker_options *options, bool wanted) {
  struct pawl_worker worker = {.options = *options};
  if (!options->fork_servers) return false;
  pthread_mutex_lock(&lock);
  struct pawl_fork_server *server = find_server(&worker);
  if (server) server->wanted = server->wanted || wanted;
  const bool imports = server && still_imports(server);
  pthread_mutex_unlock(&lock);
  pawl_arena_clear(&worker.arena);
  return imports;
}

void pawl_fork_servers_settle(struct pawl_fork_servers *servers) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < servers->count; i++) {
    if (servers->items[i].wanted)
      await_import(&servers->items[i]);
    else
      fork_server_end(&servers->items[i]);
  }
  pthread_mutex_unlock(&lock);
}

const struct pawl_process_forker *pawl_fork_server_of(struct pawl_worker *worker) {
  const struct pawl_worker_options *options = &worker->options;
  if (!options->fork_servers || options->show_output || options->wrapper) return NULL;
  pthread_mutex_lock(&lock);
  struct pawl_fork_server *server = find_server(worker);
  if (server) server->wanted = true;
  if (server) await_import(server);
  if (server && server->unusable) fork_server_end(server);
  pthread_mutex_unlock(&lock);
  return server && !server->unusable ? &server->forker : NULL;
}
