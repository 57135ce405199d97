/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "fleet/parts.h"

/* No link: whoever made the part may have put some there. */
static bool is_own_file(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_own_folder(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The files of a folder, without folders in it. Nothing where there is no such folder. */
static pawl_status copy_files(const char *from, const char *to, struct pawl_error *err) {
  if (!is_own_folder(from)) return PAWL_OK;
  DIR *folder = opendir(from);
  if (!folder) return pawl_fail_errno(err, errno, "cannot open '%s'", from);
  enum pawl_status_code status = pawl_make_folders(to, err);
  for (const struct dirent *entry; status == PAWL_OK && (entry = readdir(folder));) {
    PAWL_CLEANUP(pawl_free_pointer) char *source = pawl_path_join(from, entry->d_name);
    PAWL_CLEANUP(pawl_free_pointer) char *target = pawl_path_join(to, entry->d_name);
    if (is_own_file(source)) status = pawl_copy_file(source, target, err);
  }
  closedir(folder);
  return status;
}

static pawl_status copy_profile(const char *from, const char *to, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *base_from = pawl_path_join(from, "base");
  PAWL_CLEANUP(pawl_free_pointer) char *base_to = pawl_path_join(to, "base");
  PAWL_TRY(copy_files(from, to, err));
  return copy_files(base_from, base_to, err);
}

pawl_status pawl_run_parts_copy_profiles(const struct pawl_run_parts *parts, char *const *folders,
                                         const char *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *all = pawl_path_join(out, PAWL_RUN_PROFILES);
  PAWL_TRY(pawl_remove_tree(all, err));
  for (size_t i = 0; i < parts->count; i++) {
    const struct pawl_run_report *report = &parts->parts[i].report;
    PAWL_CLEANUP(pawl_free_pointer) char *profiles = pawl_path_join(folders[i], PAWL_RUN_PROFILES);
    if (!is_own_folder(profiles)) continue;
    for (size_t j = 0; j < report->profile_count; j++) {
      if (!report->profiles[j].folder) continue;
      PAWL_CLEANUP(pawl_free_pointer)
      char *from = pawl_path_join(folders[i], report->profiles[j].folder);
      PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(out, report->profiles[j].folder);
      PAWL_TRY(copy_profile(from, to, err));
    }
  }
  return PAWL_OK;
}
