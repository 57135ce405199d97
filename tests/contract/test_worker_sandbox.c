/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that reaches out of its process gets hold of nothing, in a sandbox as good as the
   machine has. Each attack is real: without a sandbox it gets through. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "process/landlock.h"
#include "scale_fixture.h"
#include "worker/driver.h"

static const char *plugins;

enum target {
  IN_FOLDER,
  IN_HIDDEN,
  IN_KEYS,
  IN_MEMORY,
  OURSELVES,
  OTHER_WORKER,
  PORT,
  NAME,
  UNIQUE,
  SETTING
};

struct reach {
  const char *deed;
  enum target target;
  enum pawl_isolation held_by; /* the least that stops it */
  bool always_held; /* stopped without a sandbox, too: by the seccomp filter, or because pawl is not
                       dumpable */
};

static const struct reach reaches[] = {
    {"overwrites", IN_FOLDER, PAWL_ISOLATION_FILES, false},
    {"replaces", IN_FOLDER, PAWL_ISOLATION_FILES, false},
    {"overwrites", IN_HIDDEN, PAWL_ISOLATION_FILES, false},
    {"overwrites", IN_MEMORY, PAWL_ISOLATION_FILES, false},
    {"reads", IN_HIDDEN, PAWL_ISOLATION_FILES, false},
    {"overwrites", IN_KEYS, PAWL_ISOLATION_FILES, false},
    {"reads", IN_KEYS, PAWL_ISOLATION_FILES, false},
    {"reads_memory", OURSELVES, PAWL_ISOLATION_FILES, true}, /* by root alone */
    {"writes_memory", OURSELVES, PAWL_ISOLATION_FILES, true},
    {"lists_descriptors", OURSELVES, PAWL_ISOLATION_FILES, true},
    {"signals", OURSELVES, PAWL_ISOLATION_FULL, true},
    {"traces", OURSELVES, PAWL_ISOLATION_FILES, true},
    {"copies_memory", OURSELVES, PAWL_ISOLATION_FILES, true},
    {"reads_memory", OTHER_WORKER, PAWL_ISOLATION_FILES, false},
    {"writes_memory", OTHER_WORKER, PAWL_ISOLATION_FILES, false},
    {"signals", OTHER_WORKER, PAWL_ISOLATION_FULL, false},
    {"traces", OTHER_WORKER, PAWL_ISOLATION_FILES, false},
    {"connects", PORT, PAWL_ISOLATION_FULL, false},
    {"connects_by_name", NAME, PAWL_ISOLATION_FULL, false},
    {"leaves_daemon", UNIQUE, PAWL_ISOLATION_NONE, true},         /* it becomes a child of ours */
    {"makes_writable", UNIQUE, PAWL_ISOLATION_FILES, true},       /* by root alone */
    {"opens_kernel_setting", SETTING, PAWL_ISOLATION_FULL, true}, /* by root alone */
};

/* An honest kernel names its thread. */
static const struct reach honest = {"names_its_thread", UNIQUE, PAWL_ISOLATION_FULL, false};

/* The targets of the attacks. */
struct scene {
  char folder[64], hidden[80], keys[80], evidence[96], expected[96], key[96], memory[64], name[64],
      unique[32];
  int port_fd, name_fd;
  char port[16];
  struct fixture other;
};

static void write_true(const char *path) {
  FILE *file = fopen(path, "w");
  assert_true(file && fputs("true", file) >= 0 && fclose(file) == 0);
}

static bool is_true(const char *path) {
  char text[16] = "";
  FILE *file = fopen(path, "r");
  const bool same = file && fgets(text, sizeof text, file) && !strcmp(text, "true");
  if (file) fclose(file);
  return same;
}

static void open_port(struct scene *s) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  s->port_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(s->port_fd, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(s->port_fd, 8), 0);
  assert_int_equal(getsockname(s->port_fd, (struct sockaddr *)&address, &length), 0);
  snprintf(s->port, sizeof s->port, "%u", ntohs(address.sin_port));
}

static void open_name(struct scene *s) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(s->name, sizeof s->name, "pawl-test-%d", (int)getpid());
  memcpy(address.sun_path + 1, s->name, strlen(s->name));
  s->name_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const size_t length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(s->name);
  assert_int_equal(bind(s->name_fd, (struct sockaddr *)&address, (socklen_t)length), 0);
  assert_int_equal(listen(s->name_fd, 8), 0);
}

static pawl_status start(struct fixture *f, const struct scene *s, enum pawl_isolate isolate) {
  char path[512];
  snprintf(path, sizeof path, "%s/hostile_reaches_out.so", plugins);
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "reaches_out",
                                              .plugin = path,
                                              .folder = s->folder,
                                              .hidden = {s->hidden, s->keys},
                                              .isolate = isolate,
                                              .tensors = &f->tensors,
                                              .timeout_seconds = 20};
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static void set_scene(struct scene *s, enum pawl_isolate isolate) {
  *s = (struct scene){.folder = "/tmp/pawl-test-sandbox-XXXXXX"};
  assert_non_null(mkdtemp(s->folder));
  snprintf(s->hidden, sizeof s->hidden, "%s/hidden", s->folder);
  assert_int_equal(mkdir(s->hidden, 0755), 0);
  snprintf(s->keys, sizeof s->keys, "%s/keys", s->folder);
  assert_int_equal(mkdir(s->keys, 0755), 0);
  snprintf(s->key, sizeof s->key, "%s/key", s->keys);
  snprintf(s->evidence, sizeof s->evidence, "%s/evidence", s->folder);
  snprintf(s->expected, sizeof s->expected, "%s/expected", s->hidden);
  snprintf(s->memory, sizeof s->memory, "/dev/shm/pawl-test-%d", (int)getpid());
  snprintf(s->unique, sizeof s->unique, "%d", 1000000 + (int)getpid());
  open_port(s);
  open_name(s);
  fixture_init(&s->other);
  assert_int_equal(start(&s->other, s, isolate), PAWL_OK);
}

static void clear_scene(struct scene *s) {
  fixture_release(&s->other);
  close(s->port_fd);
  close(s->name_fd);
  assert_int_equal(pawl_remove_tree(s->folder, NULL), PAWL_OK);
}

/* PAWL_TEST_TARGET of a reach. */
static const char *target_of(const struct scene *s, const struct reach *reach, char number[32]) {
  snprintf(number, 32, "%d",
           reach->target == OURSELVES ? (int)getpid() : (int)s->other.worker->process.pid);
  switch (reach->target) {
    case IN_FOLDER: return s->evidence;
    case IN_HIDDEN: return s->expected;
    case IN_KEYS: return s->key;
    case IN_MEMORY: return s->memory;
    case PORT: return s->port;
    case NAME: return s->name;
    case UNIQUE: return s->unique;
    case SETTING: return "/proc/sys/kernel/core_pattern";
    case OURSELVES:
    case OTHER_WORKER:
    default: return number;
  }
}

/* The daemon is found by its last argument; killed. */
static bool find_daemon(const struct scene *s) {
  bool found = false;
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; (entry = readdir(proc));) {
    char path[300], text[64] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) close(fd);
    if (got < 7 || strcmp(text, "sleep") != 0 || strcmp(text + 6, s->unique) != 0) continue;
    found = true;
    kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
  }
  closedir(proc);
  return found;
}

/* Whether it got what it reached for, by what it saw or by what is left of it. */
static bool gets_through(struct scene *s, const struct reach *reach, enum pawl_isolate isolate,
                         enum pawl_isolation *isolation) {
  char number[32];
  struct fixture f;
  double seconds;
  const char *reason = NULL;
  fixture_init(&f);
  write_true(s->evidence);
  write_true(s->expected);
  write_true(s->key);
  unlink(s->memory);
  setenv("PAWL_TEST_REACH", reach->deed, 1);
  setenv("PAWL_TEST_TARGET", target_of(s, reach, number), 1);
  if (start(&f, s, isolate) != PAWL_OK) fail_msg("%s", f.err.message);
  *isolation = pawl_worker_isolation(f.worker);
  assert_int_equal(fixture_prepare(&f, &reason), PAWL_OK);
  const bool reported = pawl_worker_run(f.worker, 0, &seconds, &f.err) == PAWL_FAILED &&
                        strstr(f.err.message, "launch returned error 1");
  fixture_release(&f);
  const bool forged = !is_true(s->evidence) || !is_true(s->expected) || !is_true(s->key) ||
                      !access(s->memory, F_OK);
  const bool looks_itself = reach->target != IN_FOLDER && reach->target != IN_MEMORY &&
                            strcmp(reach->deed, "overwrites") != 0;
  unlink(s->memory);
  return (reported && looks_itself) || forged || find_daemon(s);
}

static void check_all(enum pawl_isolate isolate, enum pawl_isolation wanted) {
  struct scene s;
  set_scene(&s, isolate);
  for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++) {
    enum pawl_isolation isolation;
    const bool got = gets_through(&s, &reaches[i], isolate, &isolation);
    assert_int_equal(isolation, wanted);
    if (isolation >= reaches[i].held_by && got)
      fail_msg("%zu: '%s' gets through", i, reaches[i].deed);
    if (isolation == PAWL_ISOLATION_NONE && !reaches[i].always_held && !got)
      fail_msg("%zu: '%s' is no attack: it does not get through without a sandbox", i,
               reaches[i].deed);
  }
  enum pawl_isolation isolation;
  if (!gets_through(&s, &honest, isolate, &isolation)) fail_msg("'%s' does not work", honest.deed);
  clear_scene(&s);
}

static bool namespaces_are_there(void) {
  struct scene s;
  set_scene(&s, PAWL_ISOLATE_AVAILABLE);
  const bool full = pawl_worker_isolation(s.other.worker) == PAWL_ISOLATION_FULL;
  clear_scene(&s);
  return full;
}

static void without_a_sandbox_all_get_through(void **state) {
  (void)state;
  check_all(PAWL_ISOLATE_OFF, PAWL_ISOLATION_NONE);
}

static void in_namespaces_none_gets_through(void **state) {
  (void)state;
  if (!namespaces_are_there()) skip();
  check_all(PAWL_ISOLATE_REQUIRED, PAWL_ISOLATION_FULL);
}

/* As the filter of a container does. It stays: these tests come last. */
static void forbid_namespaces(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
  assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

static void in_a_container_files_and_memory_are_closed(void **state) {
  (void)state;
  forbid_namespaces();
  check_all(PAWL_ISOLATE_AVAILABLE,
            pawl_landlock_available() ? PAWL_ISOLATION_FILES : PAWL_ISOLATION_NONE);
}

static void where_it_is_required_nothing_less_will_do(void **state) {
  (void)state;
  struct scene s;
  struct fixture f;
  set_scene(&s, PAWL_ISOLATE_AVAILABLE);
  fixture_init(&f);
  assert_int_equal(start(&f, &s, PAWL_ISOLATE_REQUIRED), PAWL_UNAVAILABLE);
  assert_non_null(strstr(f.err.message, "isolation: required"));
  fixture_release(&f);
  clear_scene(&s);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  plugins = argv[1];
  prctl(PR_SET_DUMPABLE, 0); /* as pawl */
  signal(SIGURG, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_sandbox_all_get_through),
      cmocka_unit_test(in_namespaces_none_gets_through),
      cmocka_unit_test(in_a_container_files_and_memory_are_closed),
      cmocka_unit_test(where_it_is_required_nothing_less_will_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
