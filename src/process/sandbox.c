/* SPDX-License-Identifier: Apache-2.0 */
#include "process/sandbox.h"

#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/count.h"
#include "process/landlock.h"
#include "process/sandbox_paths.h"

/* From linux/mount.h and fcntl.h, which some C libraries cannot include beside sys/mount.h. */
#define FLAG_NOSUID 2ul
#define FLAG_NODEV 4ul
#define FLAG_NOEXEC 8ul
#define FLAG_READ_ONLY 1ul
#define PROPAGATE_PRIVATE (1ul << 18)
#define WHOLE_TREE 0x8000u   /* AT_RECURSIVE */
#define EMPTY_PATH 0x1000u   /* AT_EMPTY_PATH */
#define CLONE_TREE 1u        /* OPEN_TREE_CLONE */
#define FROM_EMPTY_PATH 0x4u /* MOVE_MOUNT_F_EMPTY_PATH */

#define NAMESPACES (CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS)
#define OVERLAY_LIMITS "size=50%,mode=0700" /* a share of the memory, the default of tmpfs */

const char *pawl_isolation_name(enum pawl_isolation isolation) {
  static const char *const names[] = {"none", "files", "full"};
  return names[isolation];
}

static bool write_text(const char *path, const char *text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  close(fd);
  return done;
}

/* Lets programs still talk to themselves by 127.0.0.1. */
static void raise_loopback(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo"};
  if (fd < 0) return;
  if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
    ioctl(fd, SIOCSIFFLAGS, &request);
  }
  close(fd);
}

/* Maps our user alone, to the same number. */
static bool map_user(const struct pawl_sandbox_plan *plan) {
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* root owns these files while our memory is closed */
  const bool done = write_text("/proc/self/setgroups", "deny") &&
                    write_text("/proc/self/uid_map", plan->user_map) &&
                    write_text("/proc/self/gid_map", plan->group_map);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return done;
}

bool pawl_sandbox_unshare(const struct pawl_sandbox_plan *plan) {
  if (unshare(CLONE_NEWUSER | NAMESPACES) == 0) {
    if (!map_user(plan)) return false;
  } else if (unshare(NAMESPACES) != 0) { /* without user namespaces only root may do it */
    return false;
  }
  raise_loopback();
  return true;
}

_Noreturn void pawl_sandbox_run_first(void) {
  static const char name[] = "pawl-sandbox";
  prctl(PR_SET_NAME, name, 0, 0, 0);
  signal(SIGCHLD, SIG_IGN); /* nobody waits for processes whose parents have ended */
  syscall(SYS_close_range, 0u, ~0u, 0);
  for (;;) pause();
}

/* Mounts folders that take the writes below other folders. A folder without one stays readable. */
static void mount_overlays(const struct pawl_sandbox_plan *plan) {
  for (int i = 0; i < plan->overlay_count; i++) {
    if (mkdir(plan->overlays[i].upper, 0777) || mkdir(plan->overlays[i].work, 0777)) continue;
    struct stat info;
    if (stat(plan->overlays[i].path, &info) == 0)
      chmod(plan->overlays[i].upper, info.st_mode & 07777);
    pawl_sandbox_mount_at("overlay", plan->overlays[i].path, FLAG_NOSUID | FLAG_NODEV,
                          plan->overlays[i].options);
  }
}

/* Mounts an empty folder above each hidden folder. */
static bool hide(const struct pawl_sandbox_plan *plan) {
  const unsigned long flags = FLAG_NOSUID | FLAG_NODEV | FLAG_READ_ONLY;
  for (const char **hidden = plan->hidden; *hidden; hidden++) {
    if (!pawl_sandbox_mount_at("tmpfs", *hidden, flags, "size=4k,mode=0555")) return false;
  }
  return true;
}

/* Mounts the path above itself, read-only. An absent path is fine. */
static bool make_read_only(const char *path) {
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  const int fd = (int)syscall(SYS_open_tree, AT_FDCWD, path, CLONE_TREE | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT;
  const bool done =
      syscall(SYS_mount_setattr, fd, "", EMPTY_PATH, &read_only, sizeof read_only) == 0 &&
      syscall(SYS_move_mount, fd, "", AT_FDCWD, path, FROM_EMPTY_PATH) == 0;
  close(fd);
  return done;
}

/* Mounts a /proc of the sandbox's own processes. It is writable, because the driver of a GPU names
   its threads there and does not start otherwise. The parts that belong to the whole system are
   read-only. */
static bool mount_proc(void) {
  static const char *const of_system[] = {
      "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"};
  if (!pawl_sandbox_mount_at("proc", "/proc", FLAG_NOSUID | FLAG_NODEV | FLAG_NOEXEC, NULL))
    return false;
  for (size_t i = 0; i < PAWL_COUNT(of_system); i++) {
    if (!make_read_only(of_system[i])) return false;
  }
  return true;
}

/* Shows the child only the plan's views. A new /proc needs the old one beside it. */
static bool mount_root(const struct pawl_sandbox_plan *plan) {
  struct mount_attr private = {.propagation = PROPAGATE_PRIVATE};
  return syscall(SYS_mount_setattr, AT_FDCWD, "/", WHOLE_TREE, &private, sizeof private) == 0 &&
         pawl_sandbox_build_root(plan) && mount_proc() && pawl_sandbox_close_root();
}

bool pawl_sandbox_mount(const struct pawl_sandbox_plan *plan) {
  if (plan->root) return mount_root(plan);
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY, .propagation = PROPAGATE_PRIVATE};
  const int shared =
      plan->shared ? (int)syscall(SYS_open_tree, AT_FDCWD, plan->shared, CLONE_TREE | O_CLOEXEC)
                   : -1;
  if (plan->shared && shared < 0) return false;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", WHOLE_TREE, &read_only, sizeof read_only) != 0)
    return false;
  const char *private = PAWL_SANDBOX_MEMORY;
  if (!pawl_sandbox_mount_at("tmpfs", private, FLAG_NOSUID | FLAG_NODEV, OVERLAY_LIMITS))
    return false;
  umask(0);
  mount_overlays(plan);
  umask(022);
  if (!hide(plan)) return false;
  if (shared >= 0 &&
      syscall(SYS_move_mount, shared, "", AT_FDCWD, plan->shared, FROM_EMPTY_PATH) != 0)
    return false;
  if (shared >= 0) close(shared);
  if (!pawl_sandbox_mount_at("tmpfs", private, FLAG_NOSUID | FLAG_NODEV, OVERLAY_LIMITS))
    return false;
  /* fails in some containers; in the old /proc a process would not find itself */
  return mount_proc();
}

/* The programs that the child executes cannot regain privileges either. */
static void drop_privileges(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (unsigned long capability = 0; capability < 64; capability++)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  syscall(SYS_capset, &header, none);
}

static void sandbox_allow(const struct pawl_sandbox_plan *plan, int rules, bool mounted,
                          bool reads) {
  for (int i = 0; mounted && i < plan->overlay_count; i++)
    pawl_landlock_allow_change(rules, plan->overlays[i].path, reads);
  if (mounted) pawl_landlock_allow_change(rules, PAWL_SANDBOX_MEMORY, reads);
  for (size_t i = 0; mounted && i < plan->step_count; i++) {
    if (plan->steps[i].writable || plan->steps[i].kind == STEP_OVERLAY ||
        plan->steps[i].kind == STEP_NAMES)
      pawl_landlock_allow_change(rules, plan->steps[i].target, reads);
  }
  if (plan->root) pawl_landlock_allow_change(rules, PAWL_SANDBOX_HOME, reads);
  if (plan->root) pawl_landlock_allow_change(rules, "/tmp", reads);
  for (const char *const *path = plan->changeable; path && *path; path++)
    pawl_landlock_allow_change(rules, *path, reads);
  /* For names of threads. /proc itself keeps the memory of other processes closed. */
  pawl_landlock_allow_change(rules, "/proc", reads);
  if (plan->scratch) pawl_landlock_allow_change(rules, plan->scratch, reads);
  if (plan->shared) pawl_landlock_allow_change(rules, plan->shared, reads);
  for (const char *const *device = plan->devices; *device; device++)
    pawl_landlock_allow_change(rules, *device, reads);
  for (const char *const *path = reads ? plan->readable : NULL; path && *path; path++)
    pawl_landlock_allow_read(rules, *path);
}

enum pawl_isolation pawl_sandbox_enter(const struct pawl_sandbox_plan *plan, bool mounted) {
  const bool reads = !mounted && plan->readable;
  const int rules = mounted || plan->scratch ? pawl_landlock_open(reads) : -1;
  if (rules >= 0) sandbox_allow(plan, rules, mounted, reads);
  if (mounted || rules >= 0) drop_privileges();
  const bool locked = pawl_landlock_enter(rules);
  return mounted ? PAWL_ISOLATION_FULL : locked ? PAWL_ISOLATION_FILES : PAWL_ISOLATION_NONE;
}
