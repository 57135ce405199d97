/* SPDX-License-Identifier: Apache-2.0 */
#include "device/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"

#define NAP_SECONDS 0.05
#define HOLDER 400 /* bytes of the text that names the holder */
#define FLAGS (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* Opens a lock file, which any user may have made. It may be a trap: only a regular file with one
   name counts. A file that others may not write serves too, because flock() needs no write. */
static int open_regular(const char *path) {
  int fd = open(path, O_RDWR | FLAGS);
  if (fd < 0 && errno == EACCES) fd = open(path, O_RDONLY | FLAGS);
  /* Without O_EXCL the system may refuse another user's file in a shared folder. */
  if (fd < 0 && errno == ENOENT) fd = open(path, O_RDWR | O_CREAT | O_EXCL | FLAGS, 0666);
  if (fd < 0 && errno == EEXIST) fd = open(path, O_RDWR | FLAGS);
  struct stat info;
  if (fd >= 0 && (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_nlink != 1)) {
    pawl_close(&fd);
    errno = EINVAL;
  }
  if (fd >= 0 && info.st_uid == geteuid()) {
    const int shared = fchmod(fd, 0666); /* whatever the umask says */
    (void)shared;
  }
  return fd;
}

/* Returns why open_regular() refused a lock file. */
static const char *lock_refusal(int error) {
  if (error == ELOOP) return "the file is a link";
  return error == EINVAL ? "it is no regular file with one name" : strerror(error);
}

static void name_lock(struct pawl_text *path, const char *folder, const char *place) {
  path->length = 0;
  pawl_text_printf(path, "%s/pawl-%s.lock", folder, place);
}

/* Opens the place's file in the folder that the user named. */
static pawl_status open_given(const char *folder, const char *place, int *fd,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  if (*folder != '/')
    return pawl_fail(err, PAWL_CONFIG,
                     PAWL_TURN_FOLDER
                     " '%s' is a relative path, which is another folder for each "
                     "pawl; write the whole path",
                     folder);
  name_lock(&path, folder, place);
  *fd = open_regular(path.data);
  if (*fd >= 0) return PAWL_OK;
  return pawl_fail(err, PAWL_CONFIG, "cannot make the lock of %s in " PAWL_TURN_FOLDER " '%s': %s",
                   place, folder, lock_refusal(errno));
}

/* Opens the place's file in the first folder that works, or returns -1. The first two are of all
   users. A file that does not work in one of them may work for another user, who then locks there.
 */
static int open_shared(struct pawl_timing_turn *turn, const char *place, struct pawl_log *log) {
  const char *const folders[] = {"/run/lock", "/tmp", getenv("XDG_RUNTIME_DIR")};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  int fd = -1;
  for (size_t i = 0; i < PAWL_COUNT(folders) && fd < 0; i++) {
    struct stat info;
    if (!folders[i] || *folders[i] != '/') continue;
    name_lock(&path, folders[i], place);
    fd = open_regular(path.data);
    const int error = errno;
    if (fd >= 0 || turn->warned || lstat(path.data, &info)) continue;
    pawl_log_warning(log,
                     "cannot lock '%s': %s; a pawl that can does not wait for this one: remove the "
                     "file, or name a folder in " PAWL_TURN_FOLDER,
                     path.data, lock_refusal(error));
    turn->warned = true;
  }
  if (fd < 0 && !turn->warned) {
    pawl_log_warning(log,
                     "cannot lock %s in /run/lock or /tmp: another pawl may disturb the times; "
                     "name a folder in " PAWL_TURN_FOLDER,
                     place);
    turn->warned = true;
  }
  return fd;
}

/* Writes who has the turn: "process 12 (pawl run) in /home/a". */
static void write_holder(int fd) {
  char command[160] = "", folder[200] = "", text[HOLDER];
  PAWL_CLEANUP(pawl_close) int words = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t got = words < 0 ? 0 : read(words, command, sizeof command - 1);
  const char *slash = strrchr(command, '/'); /* the first word ends with NUL */
  const char *name = slash ? slash + 1 : command;
  for (ssize_t i = 0; i + 1 < got; i++)
    if (!command[i]) command[i] = ' ';
  if (!getcwd(folder, sizeof folder)) strcpy(folder, "a folder");
  const int length =
      snprintf(text, sizeof text, "process %ld (%s) in %s\n", (long)getpid(), name, folder);
  /* the text only informs the processes that wait */
  if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)length, 0) < 0) return;
}

/* Reads the text of the holder. Anybody can have written it. */
static void turn_read_holder(int fd, char holder[HOLDER]) {
  const ssize_t got = pread(fd, holder, HOLDER - 1, 0);
  holder[got > 0 ? got : 0] = '\0';
  holder[strcspn(holder, "\n")] = '\0';
  for (char *p = holder; *p; p++)
    if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f) *p = '?';
  if (!*holder) strcpy(holder, "another process");
}

/* Locks `queue`, then `fd`. Keeps `queue` while it waits for `fd`, so that nobody comes between. */
static pawl_status turn_wait(int queue, int fd, const char *place, int64_t begin, double seconds,
                             struct pawl_log *log, struct pawl_error *err) {
  char holder[HOLDER];
  for (bool told = false; flock(queue, LOCK_EX | LOCK_NB) || flock(fd, LOCK_EX | LOCK_NB);) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return pawl_fail_errno(err, errno, "cannot lock '%s'", place);
    turn_read_holder(fd, holder);
    PAWL_TRY(pawl_budget_need(err));
    if (pawl_seconds_since(begin) >= seconds)
      return pawl_fail(err, PAWL_TRY_AGAIN,
                       "%s still times on %s after %.6g s; try again later, or wait longer with "
                       "--wait TIME",
                       holder, place, seconds);
    if (!told)
      pawl_log_info(log, "waiting at most %.0f s for %s, which times on %s",
                    seconds - pawl_seconds_since(begin), holder, place);
    told = true;
    pawl_sleep_seconds(NAP_SECONDS);
  }
  return PAWL_OK;
}

/* Waits, and says and adds up how long. */
static pawl_status wait_for_other(struct pawl_timing_turn *turn, int queue, int fd,
                                  const char *place, int64_t begin, double seconds,
                                  const struct pawl_log *log, struct pawl_error *err) {
  struct pawl_log loud = log ? *log : (struct pawl_log){0}; /* else a quiet pawl seems to hang */
  if (loud.level == PAWL_LOG_QUIET) loud.level = PAWL_LOG_NORMAL;
  const int64_t now = pawl_clock_ns();
  const enum pawl_status_code status = turn_wait(queue, fd, place, begin, seconds, &loud, err);
  const double waited = pawl_seconds_since(now);
  turn->waited += waited;
  if (status == PAWL_OK) pawl_log_info(&loud, "waited %.1f s for %s", waited, place);
  return status;
}

/* Opens the place's file, or sets -1 where no shared folder works. */
static pawl_status open_place(struct pawl_timing_turn *turn, const char *place, int *fd,
                              struct pawl_log *log, struct pawl_error *err) {
  const char *given = getenv(PAWL_TURN_FOLDER);
  if (given && *given) return open_given(given, place, fd, err);
  *fd = open_shared(turn, place, log);
  return PAWL_OK;
}

pawl_status pawl_turn_take(struct pawl_timing_turn *turn, const char *place, int64_t begin_ns,
                           double seconds, struct pawl_log *log, struct pawl_error *err) {
  PAWL_ASSERT(turn->count < PAWL_COUNT(turn->fds));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text next = {0};
  PAWL_CLEANUP(pawl_close) int fd = -1;
  PAWL_CLEANUP(pawl_close) int queue = -1;
  pawl_text_printf(&next, "%s-next", place);
  PAWL_TRY(open_place(turn, place, &fd, log, err));
  if (fd < 0) return PAWL_OK;
  PAWL_TRY(open_place(turn, next.data, &queue, log, err));
  const int first = queue < 0 ? fd : queue;
  enum pawl_status_code status = PAWL_OK;
  if (flock(first, LOCK_EX | LOCK_NB) || flock(fd, LOCK_EX | LOCK_NB))
    status = wait_for_other(turn, first, fd, place, begin_ns, seconds, log, err);
  if (status == PAWL_OK) write_holder(fd);
  if (queue >= 0) flock(queue, LOCK_UN); /* a process that starts now may have a copy of it */
  if (status != PAWL_OK) return status;
  turn->fds[turn->count++] = fd;
  fd = -1;
  return PAWL_OK;
}

void pawl_turn_end(struct pawl_timing_turn *turn) {
  for (size_t i = 0; i < turn->count; i++) pawl_close(&turn->fds[i]);
  turn->count = 0;
}
