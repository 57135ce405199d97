/* SPDX-License-Identifier: Apache-2.0 */
#include "build/object_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

#define PURPOSE "object"
#define OBJECT_LIMIT ((size_t)1 << 30)
#define STORE_LIMIT ((off_t)2 << 30)

static char *store_path(const struct pawl_build_options *options, const char *key) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(options->cache_folder, "objects");
  return pawl_path_join(folder, key);
}

bool pawl_object_recall(const struct pawl_build_options *options, const char *key,
                        const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *kept = store_path(options, key);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  size_t length;
  const char *object =
      pawl_sealed_read(kept, OBJECT_LIMIT, options->seal_key, PURPOSE, key, &file, &length);
  if (!object || pawl_file_write_unsynced(path, object, length, NULL) != PAWL_OK) return false;
  utimensat(AT_FDCWD, kept, NULL, 0); /* the times of last use decide which objects pawl removes */
  return true;
}

struct kept_object {
  char name[PAWL_HASH_TEXT];
  struct timespec used;
  off_t size;
};

static int by_use(const void *a, const void *b) {
  const struct timespec x = ((const struct kept_object *)a)->used;
  const struct timespec y = ((const struct kept_object *)b)->used;
  if (x.tv_sec != y.tv_sec) return x.tv_sec < y.tv_sec ? -1 : 1;
  return x.tv_nsec < y.tv_nsec ? -1 : x.tv_nsec > y.tv_nsec;
}

/* Removes the least recently used objects until a quarter of the space is free. */
static void remove_oldest(const char *path, struct kept_object *objects, size_t count,
                          off_t total) {
  qsort(objects, count, sizeof *objects, by_use);
  for (size_t i = 0; i < count && total > STORE_LIMIT / 4 * 3; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *object = pawl_path_join(path, objects[i].name);
    if (!unlink(object)) total -= objects[i].size;
  }
}

static void limit_store(const char *path) {
  struct kept_object *objects = NULL;
  size_t count = 0, capacity = 0;
  off_t total = 0;
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    struct stat info;
    if (strlen(entry->d_name) != PAWL_HASH_TEXT - 1 ||
        fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
      continue;
    objects = pawl_grow(objects, count, &capacity, sizeof *objects);
    struct kept_object *object = &objects[count++];
    *object = (struct kept_object){.used = info.st_mtim, .size = info.st_size};
    memcpy(object->name, entry->d_name, PAWL_HASH_TEXT);
    total += info.st_size;
  }
  if (folder) closedir(folder);
  if (total > STORE_LIMIT) remove_oldest(path, objects, count, total);
  pawl_free(objects);
}

void pawl_object_keep(const struct pawl_build_options *options, const char *key, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *kept = store_path(options, key);
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(kept);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text object = {0};
  if (pawl_make_folders(folder, NULL) == PAWL_OK &&
      pawl_file_read(path, OBJECT_LIMIT, &object, NULL) == PAWL_OK &&
      pawl_sealed_write(kept, options->seal_key, PURPOSE, key, pawl_text_string(&object),
                        object.length, NULL) == PAWL_OK)
    limit_store(folder);
}
