/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bulk.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define LOCK_NAME "lock"
#define LOCK_WAIT_SECONDS 2.0
#define ENTRY_SUFFIX ".expected"
#define PURPOSE "expected values"
/* The age of a temporary file whose writer has died. */
#define ABANDONED_SECONDS 3600

/* The header of a file. The file's size is exactly that of the header and the values. */
struct header {
  char magic[8];
  struct pawl_hash key;
  uint64_t bytes;
  /* Covers everything above and the values. */
  struct pawl_seal seal;
};
static const char magic[8] = {'p', 'a', 'w', 'l', 'e', 'x', 'p', '2'};

void pawl_oracle_cache_init(struct pawl_oracle_cache *cache, const char *folder, uint64_t limit,
                            const struct pawl_seal_key *seal_key, struct pawl_log *log) {
  PAWL_ASSERT(!folder || seal_key);
  *cache = (struct pawl_oracle_cache){.limit = limit, .seal_key = seal_key, .log = log};
  if (folder) cache->folder = pawl_path_join(folder, "");
}

void pawl_oracle_cache_release(struct pawl_oracle_cache *cache) {
  if (!cache) return;
  pawl_free(cache->folder);
  pawl_free(cache->used);
  pawl_kept_values_release(&cache->kept);
  *cache = (struct pawl_oracle_cache){0};
}

static bool is_used(const struct pawl_oracle_cache *cache, struct pawl_hash key) {
  for (size_t i = 0; i < cache->used_count; i++)
    if (pawl_hash_equal(cache->used[i], key)) return true;
  return false;
}

static void note_used(struct pawl_oracle_cache *cache, struct pawl_hash key) {
  if (is_used(cache, key)) return;
  cache->used =
      pawl_grow(cache->used, cache->used_count, &cache->used_capacity, sizeof *cache->used);
  cache->used[cache->used_count++] = key;
}

static char *entry_path(const struct pawl_oracle_cache *cache, struct pawl_hash key) {
  char name[PAWL_HASH_TEXT + sizeof ENTRY_SUFFIX];
  pawl_hash_format(key, name);
  strcat(name, ENTRY_SUFFIX);
  return pawl_path_join(cache->folder, name);
}

static struct header header_of(struct pawl_hash key, const struct pawl_cache_piece *pieces,
                               int count) {
  struct header header = {.key = key};
  memcpy(header.magic, magic, sizeof magic);
  for (int i = 0; i < count; i++) header.bytes += pieces[i].bytes;
  return header;
}

static void seal_entry(struct pawl_sealer *sealer, const struct header *header,
                       const struct pawl_cache_piece *pieces, int count) {
  pawl_sealer_add(sealer, header, offsetof(struct header, seal));
  for (int i = 0; i < count; i++) pawl_sealer_add(sealer, pieces[i].data, pieces[i].bytes);
}

/* Returns 0 or an errno. */
static int cache_write_all(int fd, const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = write(fd, (const char *)data + done, bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    done += (size_t)put;
  }
  return 0;
}

static enum pawl_seal_state cache_read_entry(int fd, struct pawl_hash key,
                                             const struct pawl_seal_key *seal_key,
                                             const struct pawl_cache_piece *pieces, int count) {
  struct header stored;
  struct stat info;
  const struct header header = header_of(key, pieces, count);
  if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return PAWL_SEAL_BROKEN;
  if ((uint64_t)info.st_size != sizeof stored + header.bytes) return PAWL_SEAL_BROKEN;
  off_t offset = sizeof stored;
  if (!pawl_bulk_read(fd, &stored, sizeof stored, 0)) return PAWL_SEAL_BROKEN;
  for (int i = 0; i < count; offset += (off_t)pieces[i].bytes, i++)
    if (!pawl_bulk_read(fd, pieces[i].data, pieces[i].bytes, offset)) return PAWL_SEAL_BROKEN;
  struct pawl_sealer sealer;
  pawl_sealer_init_check(&sealer, seal_key, PURPOSE, &stored.seal);
  seal_entry(&sealer, &header, pieces, count);
  const enum pawl_seal_state state = pawl_sealer_check(&sealer, &stored.seal);
  return memcmp(&stored, &header, offsetof(struct header, seal)) ? PAWL_SEAL_BROKEN : state;
}

bool pawl_oracle_cache_read(struct pawl_oracle_cache *cache, struct pawl_hash key,
                            const struct pawl_cache_piece *pieces, int count) {
  if (!cache->folder) return false;
  if (pawl_kept_values_take(&cache->kept, key, pieces, count)) return true;
  PAWL_CLEANUP(pawl_free_pointer) char *path = entry_path(cache, key);
  /* a FIFO must not block */
  PAWL_CLEANUP(pawl_close)
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const enum pawl_seal_state state = cache_read_entry(fd, key, cache->seal_key, pieces, count);
  if (state == PAWL_SEAL_BROKEN)
    pawl_log_warning(
        cache->log,
        "the expected values in '%s' are not as pawl wrote them; pawl computes them again", path);
  if (state != PAWL_SEAL_VALID) {
    unlink(path);
    return false;
  }
  /* The time of the last use. A read-only cache keeps the old time, which only affects the order of
   * removal. */
  futimens(fd, NULL);
  note_used(cache, key);
  if (cache->keeps) pawl_kept_values_add(&cache->kept, key, pieces, count);
  return true;
}

struct cached_answer {
  struct pawl_hash key;
  uint64_t bytes;
  struct timespec when;
};

struct cached_answers {
  struct cached_answer *items;
  size_t count, capacity;
  uint64_t bytes;
};

static int by_age(const void *a, const void *b) {
  const struct timespec *x = &((const struct cached_answer *)a)->when,
                        *y = &((const struct cached_answer *)b)->when;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Lists the entries, the least recently used first, and removes the files of dead writers. */
static void list_entries(const struct pawl_oracle_cache *cache, struct cached_answers *out) {
  DIR *folder = opendir(cache->folder);
  if (!folder) return;
  for (const struct dirent *file; (file = readdir(folder));) {
    struct stat info;
    if (fstatat(dirfd(folder), file->d_name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISREG(info.st_mode))
      continue;
    char key[PAWL_HASH_TEXT] = "";
    struct cached_answer entry = {.bytes = (uint64_t)info.st_size, .when = info.st_mtim};
    memcpy(key, file->d_name, strnlen(file->d_name, sizeof key - 1));
    if (!pawl_hash_parse(key, &entry.key)) continue;
    if (!pawl_ends_with(file->d_name, ENTRY_SUFFIX)) {
      if (time(NULL) - info.st_mtime > ABANDONED_SECONDS) unlinkat(dirfd(folder), file->d_name, 0);
      continue;
    }
    out->items = pawl_grow(out->items, out->count, &out->capacity, sizeof *out->items);
    out->items[out->count++] = entry;
    out->bytes += entry.bytes;
  }
  closedir(folder);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, by_age);
}

/* Returns false, and removes nothing, if `bytes` more cannot fit. */
static bool cache_make_room(const struct pawl_oracle_cache *cache, uint64_t bytes) {
  struct cached_answers entries = {0};
  list_entries(cache, &entries);
  uint64_t removable = 0;
  for (size_t i = 0; i < entries.count; i++)
    if (!is_used(cache, entries.items[i].key)) removable += entries.items[i].bytes;
  const bool fits = bytes <= cache->limit && entries.bytes - removable <= cache->limit - bytes;
  for (size_t i = 0; fits && i < entries.count && entries.bytes > cache->limit - bytes; i++) {
    if (is_used(cache, entries.items[i].key)) continue;
    PAWL_CLEANUP(pawl_free_pointer) char *path = entry_path(cache, entries.items[i].key);
    unlink(path);
    entries.bytes -= entries.items[i].bytes;
  }
  pawl_free(entries.items);
  return fits;
}

/* Writes a temporary file and renames it, without fsync: the seal detects a file that a power cut
 * tears. Returns 0 or an errno. */
static int write_entry(const char *path, const struct header *header,
                       const struct pawl_cache_piece *pieces, int count) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text name = {0};
  pawl_text_printf(&name, "%s.XXXXXX", path);
  PAWL_CLEANUP(pawl_close) int fd = mkostemp(name.data, O_CLOEXEC);
  if (fd < 0) return errno;
  int number = cache_write_all(fd, header, sizeof *header);
  for (int i = 0; !number && i < count; i++)
    number = cache_write_all(fd, pieces[i].data, pieces[i].bytes);
  if (!number && rename(name.data, path)) number = errno;
  if (number) unlink(name.data);
  return number;
}

pawl_status pawl_oracle_cache_write(struct pawl_oracle_cache *cache, struct pawl_hash key,
                                    const struct pawl_cache_piece *pieces, int count, bool *stored,
                                    struct pawl_error *err) {
  *stored = false;
  if (!cache->folder) return PAWL_OK;
  if (cache->keeps) pawl_kept_values_add(&cache->kept, key, pieces, count);
  PAWL_TRY(pawl_make_folders(cache->folder, err));
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(cache->folder, LOCK_NAME);
  PAWL_CLEANUP(pawl_lock_release) struct pawl_lock lock = {.fd = -1};
  PAWL_TRY(pawl_lock_acquire(&lock, lock_path, LOCK_WAIT_SECONDS, err));
  struct header header = header_of(key, pieces, count);
  if (!cache_make_room(cache, header.bytes + sizeof header)) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer) char *path = entry_path(cache, key);
  struct pawl_sealer sealer;
  pawl_sealer_init(&sealer, cache->seal_key, PURPOSE);
  seal_entry(&sealer, &header, pieces, count);
  header.seal = pawl_sealer_finish(&sealer);
  const int number = write_entry(path, &header, pieces, count);
  if (number) return pawl_fail_errno(err, number, "cannot write the oracle cache '%s'", path);
  note_used(cache, key);
  *stored = true;
  return PAWL_OK;
}
