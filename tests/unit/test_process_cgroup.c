/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups: where they can be made, what becomes of each fault, that nothing is left. First
   in a folder that looks like the system's, where files appear with a folder as they do there; then
   in the system's own, where that is allowed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/cgroup.h"

static char root[64];
static bool read_only;   /* the system says so of each folder */
static int busy;         /* rmdir fails so often */
static const char *lack; /* a file that folders do not have */
static bool killing;     /* a killed process ends after a nap */

static const char *const files[] = {"cgroup.procs",          "tasks",
                                    "cgroup.kill",           "pids.max",
                                    "pids.events",           "memory.max",
                                    "memory.swap.max",       "memory.oom.group",
                                    "memory.events",         "memory.oom_control",
                                    "memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
                                    "freezer.state"};

static bool is_ours(const char *path) { return *root && pawl_starts_with(path, root); }

static void put(const char *folder, const char *name, const char *text) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *get(const char *folder, const char *name) {
  static char text[256];
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[got] = '\0';
  return text;
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode) {
  if (__real_mkdir(path, mode) != 0) return -1;
  for (size_t i = 0; is_ours(path) && i < sizeof files / sizeof *files; i++)
    if (!lack || strcmp(lack, files[i]) != 0) put(path, files[i], "");
  return 0;
}

int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);
int __wrap_rmdir(const char *path) {
  if (is_ours(path) && busy > 0) {
    busy--;
    errno = EBUSY;
    return -1;
  }
  for (size_t i = 0; is_ours(path) && i < sizeof files / sizeof *files; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_join(path, files[i]);
    unlink(file);
  }
  return __real_rmdir(path);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode) {
  if (!is_ours(path) || !read_only) return __real_access(path, mode);
  errno = EROFS;
  return -1;
}

static struct pawl_cgroup group;

int __real_usleep(useconds_t us);
int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us) {
  for (int i = 0; killing && i < PAWL_CGROUP_FOLDERS; i++)
    if (group.folders[i].path) put(group.folders[i].path, "cgroup.procs", "");
  return __real_usleep(us);
}

static const char groups_first[] =
    "9:name=systemd:/\n8:pids:/mine\n6:freezer:/mine\n5:cpu,cpuacct:/\n4:memory,hugetlb:/mine\n0::/"
    "\n";
static const char groups_second[] = "0::/slice/mine\n";

/* The mounts of each version, below the root of the test. */
static const char *mounts(int version) {
  static char text[2048];
  if (version == 1)
    snprintf(text, sizeof text,
             "30 20 0:1 / %s/pids rw - cgroup cgroup rw,pids\n31 20 0:2 / %s/memory rw - cgroup "
             "cgroup rw,hugetlb,memory\n"
             "32 20 0:3 / %s/freezer rw - cgroup cgroup rw,freezer\n33 20 0:4 / %s/unified rw - "
             "cgroup2 cgroup2 rw\n",
             root, root, root, root);
  else
    snprintf(text, sizeof text,
             "30 20 0:1 / %s/unified rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", root);
  return text;
}

static void make(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, name);
  assert_int_equal(mkdir(path, 0755), 0);
}

static const char *in_root(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return path;
}

static int set_up(void **state) {
  static const char *const folders[] = {"pids",        "pids/mine",     "memory",
                                        "memory/mine", "freezer",       "freezer/mine",
                                        "unified",     "unified/slice", "unified/slice/mine"};
  (void)state;
  snprintf(root, sizeof root, "/tmp/pawl-test-cgroup-XXXXXX");
  assert_non_null(mkdtemp(root));
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) make(folders[i]);
  put(in_root("unified"), "cgroup.subtree_control", "");
  put(in_root("unified/slice"), "cgroup.subtree_control", "cpu memory pids\n");
  put(in_root("unified/slice/mine"), "pids.max", "max\n");
  put(in_root("unified/slice/mine"), "memory.max", "max\n");
  put(in_root("unified/slice/mine"), "memory.swap.max", "max\n");
  group = (struct pawl_cgroup){0};
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  read_only = killing = false;
  lack = NULL;
  busy = 0;
  pawl_cgroup_end(&group);
  char path[sizeof root];
  memcpy(path, root, sizeof root);
  *root = '\0';
  return pawl_remove_tree(path, NULL) == PAWL_OK ? 0 : -1;
}

static void find(struct pawl_cgroup_place *place, int version) {
  pawl_cgroup_find(place, version == 1 ? groups_first : groups_second, mounts(version));
}

static void test_places_are_found(void **state) {
  struct pawl_cgroup_place place;
  (void)state;
  find(&place, 1);
  assert_int_equal(place.version, 1);
  assert_int_equal(place.bounds, PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY);
  assert_string_equal(place.folders[0], in_root("pids/mine"));
  assert_string_equal(place.folders[1], in_root("memory/mine"));
  assert_string_equal(place.folders[2], in_root("freezer/mine"));
  assert_string_equal(place.reason, "");
  pawl_cgroup_place_release(&place);
  find(&place, 2); /* our own folder switches no controllers on; the one above it has them */
  assert_int_equal(place.version, 2);
  assert_int_equal(place.bounds, PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY);
  assert_string_equal(place.folders[0], in_root("unified/slice"));
  pawl_cgroup_place_release(&place);
}

/* A limit that holds for pawl holds for its workers. */
static void test_nobody_climbs_over_a_limit(void **state) {
  static const char *const limits[][2] = {
      {"memory.max", "1000000\n"}, {"pids.max", "100\n"}, {"cpuset.cpus", "0-3\n"}};
  struct pawl_cgroup_place place;
  (void)state;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    put(in_root("unified/slice/mine"), limits[i][0], limits[i][1]);
    find(&place, 2);
    assert_int_equal(place.version, 0);
    assert_non_null(strstr(place.reason, "gives its groups no controllers"));
    pawl_cgroup_place_release(&place);
    put(in_root("unified/slice/mine"), limits[i][0], i < 2 ? "max\n" : "\n");
  }
}

static void test_faults_of_places_are_named(void **state) {
  struct pawl_cgroup_place place;
  (void)state;
  read_only = true;
  for (int version = 1; version <= 2; version++) {
    find(&place, version);
    assert_int_equal(place.version, 0);
    assert_int_equal(place.bounds, PAWL_BOUNDS_NONE);
    assert_non_null(strstr(place.reason, "may not make groups in"));
    assert_non_null(strstr(place.reason, version == 1 ? "/pids/" : "/unified"));
    pawl_cgroup_place_release(&place);
  }
  read_only = false;
  pawl_cgroup_find(&place, groups_second, "30 20 0:1 / /proc rw - proc proc rw\n");
  assert_int_equal(place.version, 0);
  assert_non_null(strstr(place.reason, "shows no control groups"));
  pawl_cgroup_place_release(&place);
  pawl_cgroup_find(&place, "3:pids:/mine\n", mounts(1)); /* one controller alone */
  assert_int_equal(place.version, 1);
  assert_int_equal(place.bounds, PAWL_BOUNDS_PROCESSES);
  assert_string_not_equal(place.reason, "");
  pawl_cgroup_place_release(&place);
}

static void test_a_container_sees_a_part(void **state) {
  struct pawl_cgroup_place place;
  char text[512];
  (void)state;
  snprintf(text, sizeof text, "30 20 0:1 /docker/abc %s/pids rw - cgroup cgroup rw,pids\n", root);
  pawl_cgroup_find(&place, "8:pids:/docker/abc/mine\n", text);
  assert_string_equal(place.folders[0], in_root("pids/mine"));
  pawl_cgroup_place_release(&place);
  pawl_cgroup_find(&place, "8:pids:/docker/abcd/mine\n", text);
  assert_int_equal(place.version, 0);
  pawl_cgroup_place_release(&place);
}

static void begin(int version, struct pawl_cgroup_place *place) {
  find(place, version);
  pawl_cgroup_make(&group, place, 77);
  assert_int_equal(group.version, version);
}

static void test_limits_are_written(void **state) {
  struct pawl_cgroup_place place;
  (void)state;
  for (int version = 1; version <= 2; version++) {
    begin(version, &place);
    const char *memory = group.folders[version == 1 ? 1 : 0].path;
    const char *file = version == 1 ? "memory.limit_in_bytes" : "memory.max";
    assert_string_equal(get(group.folders[0].path, "pids.max"), "77");
    pawl_cgroup_bound_memory(&group, 123456);
    assert_string_equal(get(memory, file), "123456");
    pawl_cgroup_bound_memory(&group, 1234567);
    assert_string_equal(get(memory, file), "1234567");
    assert_string_equal(
        get(memory, version == 1 ? "memory.memsw.limit_in_bytes" : "memory.oom.group"),
        version == 1 ? "1234567" : "1");
    assert_int_equal(group.bounds, PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY);
    assert_true(pawl_cgroup_enter(&group));
    assert_string_equal(get(group.folders[0].path, version == 1 ? "tasks" : "cgroup.procs"), "0");
    assert_string_equal(get(group.folders[0].path, version == 1 ? "cgroup.procs" : "tasks"), "");
    killing = true;
    pawl_cgroup_end(&group);
    assert_int_equal(group.version, 0);
    pawl_cgroup_place_release(&place);
  }
}

static void test_a_limit_that_is_refused_is_missing(void **state) {
  static const char *const missing[] = {"pids.max", "memory.limit_in_bytes"};
  struct pawl_cgroup_place place;
  (void)state;
  for (int i = 0; i < 2; i++) {
    lack = missing[i];
    begin(1, &place);
    pawl_cgroup_bound_memory(&group, 123456);
    assert_int_equal(group.bounds, i == 0 ? PAWL_BOUNDS_MEMORY : PAWL_BOUNDS_PROCESSES);
    pawl_cgroup_end(&group);
    pawl_cgroup_place_release(&place);
  }
  lack = "tasks"; /* nobody can enter such a group: none is made */
  find(&place, 1);
  pawl_cgroup_make(&group, &place, 77);
  assert_int_equal(group.version, 0);
  assert_false(pawl_cgroup_enter(&group));
  pawl_cgroup_place_release(&place);
}

static void test_events_are_read(void **state) {
  struct pawl_cgroup_place place;
  (void)state;
  for (int version = 1; version <= 2; version++) {
    begin(version, &place);
    const char *memory = group.folders[version == 1 ? 1 : 0].path;
    const char *file = version == 1 ? "memory.oom_control" : "memory.events";
    put(group.folders[0].path, "pids.events", "max 0\n");
    put(memory, file,
        version == 1 ? "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"
                     : "max 3\noom 0\noom_kill 0\n");
    struct pawl_cgroup_events events = pawl_cgroup_events(&group);
    assert_false(events.refused || events.killed);
    put(group.folders[0].path, "pids.events", "max 5\n");
    put(memory, file,
        version == 1 ? "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"
                     : "max 3\noom 1\noom_kill 1\n");
    events = pawl_cgroup_events(&group);
    assert_true(events.refused && events.killed);
    pawl_cgroup_end(&group);
    pawl_cgroup_place_release(&place);
  }
}

static void test_the_end_waits_until_all_are_gone(void **state) {
  struct pawl_cgroup_place place;
  char path[1024];
  (void)state;
  for (int version = 1; version <= 2; version++) {
    lack = version == 1 ? "cgroup.kill" : NULL;
    begin(version, &place);
    snprintf(path, sizeof path, "%s", group.folders[0].path);
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    char text[32];
    int status;
    snprintf(text, sizeof text, "%d\n", (int)child);
    put(path, "cgroup.procs", text);
    busy = 3;
    killing = true;
    pawl_cgroup_end(&group);
    killing = false;
    assert_int_equal(busy, 0);
    assert_false(pawl_is_folder(path));
    if (version == 2) kill(child, SIGKILL); /* the file of the test kills nobody */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    pawl_cgroup_place_release(&place);
  }
}

static void test_only_groups_that_nobody_holds_are_swept(void **state) {
  struct pawl_cgroup_place place;
  (void)state;
  begin(1, &place);
  make("pids/mine/pawl-worker.1.1");
  make("memory/mine/pawl-worker.1.1");
  make("pids/mine/another");
  pawl_cgroup_sweep(&place);
  assert_false(pawl_is_folder(in_root("pids/mine/pawl-worker.1.1")));
  assert_false(pawl_is_folder(in_root("memory/mine/pawl-worker.1.1")));
  assert_true(pawl_is_folder(in_root("pids/mine/another")));
  assert_true(pawl_is_folder(group.folders[0].path) && pawl_is_folder(group.folders[1].path));
  pawl_cgroup_place_release(&place);
}

/* In the system's own groups: a run that is killed leaves a group with a process in it; the next
 * one ends both. */
static void test_what_a_killed_run_leaves_is_ended(void **state) {
  const struct pawl_cgroup_place *place = pawl_cgroup_here();
  int ends[2];
  char path[256] = "";
  pid_t sleeper = 0;
  (void)state;
  if (!place->version) skip();
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const pid_t run = fork();
  if (run == 0) {
    struct pawl_cgroup left = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pawl_cgroup_make(&left, place, 10);
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++)
        if (left.folders[i].path) close(left.folders[i].lock);
      if (!pawl_cgroup_enter(&left)) _exit(1);
      if (write(ends[1], &(pid_t){getpid()}, sizeof(pid_t)) < 0) _exit(1);
      for (;;) pause();
    }
    for (int i = 0; i < PAWL_CGROUP_FOLDERS && !*path; i++)
      if (left.folders[i].path) snprintf(path, sizeof path, "%s", left.folders[i].path);
    usleep(10000);
    if (write(ends[1], path, sizeof path) < 0) _exit(1);
    for (;;) pause();
  }
  bool named = false;
  for (int i = 0; i < 2; i++) {
    char message[sizeof path] = "";
    const ssize_t got = read(ends[0], message, sizeof message);
    if (got == (ssize_t)sizeof(pid_t))
      memcpy(&sleeper, message, sizeof sleeper);
    else
      memcpy(path, message, sizeof path), named = true;
  }
  assert_true(named && sleeper > 1 && pawl_is_folder(path));
  pawl_cgroup_sweep(place); /* it is held */
  assert_true(pawl_is_folder(path) && kill(sleeper, 0) == 0);
  kill(run, SIGKILL);
  assert_int_equal(waitpid(run, NULL, 0), run);
  pawl_cgroup_sweep(place);
  assert_false(pawl_is_folder(path));
  for (int i = 0; i < 1000 && kill(sleeper, 0) == 0; i++)
    usleep(1000); /* its new parent collects it */
  close(ends[0]), close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_places_are_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nobody_climbs_over_a_limit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_faults_of_places_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_container_sees_a_part, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_limits_are_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_limit_that_is_refused_is_missing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_events_are_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_end_waits_until_all_are_gone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_only_groups_that_nobody_holds_are_swept, set_up,
                                      tear_down),
      cmocka_unit_test(test_what_a_killed_run_leaves_is_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
