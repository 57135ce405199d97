/* SPDX-License-Identifier: Apache-2.0 */
#include "process/landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(SYS_landlock_create_ruleset) /* every architecture has the same numbers */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* As in linux/landlock.h of newer systems. */
struct ruleset {
  uint64_t files, network, scoped;
};
struct beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

#define VERSION_FLAG 1u
#define PATH_BENEATH 1
#define WRITE_FILE ((uint64_t)1 << 1)
#define READ_FILE ((uint64_t)1 << 2)
/* The rights remove_dir, remove_file and make_char to make_sym are bits 4 to 12. */
#define REMOVE_AND_MAKE ((uint64_t)0x1ff0)
#define REFER ((uint64_t)1 << 13)    /* from version 2 */
#define TRUNCATE ((uint64_t)1 << 14) /* from version 3 */
#define SCOPE_SOCKETS_AND_SIGNALS 3u /* from version 6 */

static long version(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG); }

bool pawl_landlock_available(void) { return version() >= 1; }

static uint64_t changes(long of_version) {
  return WRITE_FILE | REMOVE_AND_MAKE | (of_version >= 2 ? REFER : 0) |
         (of_version >= 3 ? TRUNCATE : 0);
}

int pawl_landlock_open(bool reads) {
  const long now = version();
  if (now < 1) return -1;
  const struct ruleset rules = {.files = changes(now) | (reads ? READ_FILE : 0),
                                .scoped = now >= 6 ? SCOPE_SOCKETS_AND_SIGNALS : 0};
  /* An older system knows a shorter struct. */
  const size_t size = now >= 6 ? sizeof rules : sizeof rules.files;
  return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

static void landlock_allow(int rules, const char *path, int flags, uint64_t rights) {
  struct stat info;
  const int fd = open(path, O_PATH | O_CLOEXEC | flags);
  if (fd < 0) return;
  if (fstat(fd, &info) == 0 && !S_ISLNK(info.st_mode)) {
    const uint64_t of_file = WRITE_FILE | TRUNCATE | READ_FILE;
    const struct beneath rule = {.allowed = S_ISDIR(info.st_mode) ? rights : rights & of_file,
                                 .parent = fd};
    syscall(SYS_landlock_add_rule, rules, PATH_BENEATH, &rule, 0);
  }
  close(fd);
}

void pawl_landlock_allow_change(int rules, const char *path, bool reads) {
  landlock_allow(rules, path, 0, changes(version()) | (reads ? READ_FILE : 0));
}

void pawl_landlock_allow_read(int rules, const char *path) {
  landlock_allow(rules, path, O_NOFOLLOW, READ_FILE);
}

bool pawl_landlock_enter(int rules) {
  if (rules < 0) return false;
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return done;
}
