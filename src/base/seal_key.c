/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a user's key for seals once and keeps it where no one else can read it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entropy.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/seal.h"
#include "base/user_folder.h"

#define OF_OTHERS (S_IRWXG | S_IRWXO)

/* Fails unless this user alone can read and write the file. */
static pawl_status require_ours(const struct stat *info, const char *path, const char *mode,
                                struct pawl_error *err) {
  if (info->st_uid != geteuid())
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "'%s' belongs to another user; set XDG_STATE_HOME to a folder of yours", path);
  if (info->st_mode & OF_OTHERS)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "others may use '%s'; run chmod %s on it", path,
                     mode);
  return PAWL_OK;
}

static pawl_status make_folder(const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *above = pawl_path_folder(folder);
  PAWL_TRY(pawl_make_folders(above, err));
  if (mkdir(folder, S_IRWXU) && errno != EEXIST)
    return pawl_fail_write(err, errno, "make the folder", folder);
  struct stat info;
  if (stat(folder, &info)) return pawl_fail_errno(err, errno, "cannot look at '%s'", folder);
  return require_ours(&info, folder, "700", err);
}

/* Fails with PAWL_NO_INPUT if there is no key. */
static pawl_status seal_key_read_key(const char *path, struct pawl_seal_secret *out,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct pawl_seal_secret secret;
  struct stat info;
  char beyond;
  if (fd < 0 || fstat(fd, &info))
    return pawl_fail_errno(err, errno, "cannot read the key '%s'", path);
  PAWL_TRY(require_ours(&info, path, "600", err));
  if (!S_ISREG(info.st_mode) || read(fd, &secret, sizeof secret) != sizeof secret ||
      read(fd, &beyond, 1) != 0)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a key; remove it, and pawl makes another",
                     path);
  *out = secret;
  return PAWL_OK;
}

/* Writes a temporary file and links it to its name. link(2) fails if a file is there, so a second
   key never replaces the first. */
static int seal_key_write_key(const char *path, char *temporary,
                              const struct pawl_seal_secret *secret) {
  PAWL_CLEANUP(pawl_close) int fd = mkostemp(temporary, O_CLOEXEC); /* mkostemp sets mode 0600 */
  if (fd < 0) return errno;
  errno = 0;
  int number = write(fd, secret, sizeof *secret) == sizeof *secret ? 0 : errno ? errno : EIO;
  if (!number && fsync(fd)) number = errno;
  if (!number && link(temporary, path) && errno != EEXIST) number = errno;
  unlink(temporary);
  return number;
}

static pawl_status make_key(const char *folder, const char *path,
                            const struct pawl_seal_secret *secret, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *temporary = pawl_path_join(folder, "key.XXXXXX");
  const int number = seal_key_write_key(path, temporary, secret);
  if (number) return pawl_fail_write(err, number, "write the key", path);
  pawl_sync_folder(folder);
  return PAWL_OK;
}

/* Reads the key of the folder, or writes the new one in `secret` there. */
static pawl_status seal_key_find_key(const char *folder, struct pawl_seal_secret *secret,
                                     struct pawl_error *err) {
  if (!folder) return pawl_fail(err, PAWL_NO_INPUT, "neither XDG_STATE_HOME nor HOME is set");
  PAWL_TRY(make_folder(folder, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "key");
  struct pawl_error first = {0};
  const enum pawl_status_code status = seal_key_read_key(path, secret, &first);
  if (status == PAWL_OK) return PAWL_OK;
  if (status != PAWL_NO_INPUT) return pawl_fail(err, status, "%s", first.message);
  PAWL_TRY(make_key(folder, path, secret, err));
  /* reads again, because another pawl may have made a key first */
  return seal_key_read_key(path, secret, err);
}

pawl_status pawl_seal_key_load(struct pawl_seal_key *out, const char *folder,
                               struct pawl_error *err) {
  *out = (struct pawl_seal_key){0};
  PAWL_CLEANUP(pawl_free_pointer)
  char *place =
      folder ? pawl_path_join("", folder) : pawl_user_folder("XDG_STATE_HOME", ".local/state");
  PAWL_ASSERT(pawl_entropy(&out->secret, sizeof out->secret, NULL) == PAWL_OK);
  const enum pawl_status_code status = seal_key_find_key(place, &out->secret, err);
  out->kept = status == PAWL_OK;
  out->folder = place ? pawl_path_real(place) : NULL;
  return status;
}

void pawl_seal_key_release(struct pawl_seal_key *key) {
  if (!key) return;
  explicit_bzero(&key->secret, sizeof key->secret);
  pawl_free(key->folder);
  *key = (struct pawl_seal_key){0};
}
