/* SPDX-License-Identifier: Apache-2.0 */
#include "build/file_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define CHUNK ((size_t)256 << 10)
#define PURPOSE "file table"
#define MAGIC "pawl file table 3"
#define TABLE_LIMIT ((size_t)256 << 20)
#define MOST_KEPT 10000 /* pawl keeps more only if one command has looked at them */
#define MOST_LOOKED 400000
#define NS 1000000000LL
/* A file that changes twice within one tick of its file system has one time for both. */
#define TICK_NS (100 * 1000000LL)
#define COARSE_TICK_NS (2 * NS) /* for file systems whose times are whole seconds */

struct stored {
  uint64_t device, inode, size;
  int64_t modified, changed; /* ns */
  struct pawl_hash hash;
  uint32_t flags, path_length;
};
enum {
  FLAG_ASSEMBLER = 1,
  FLAG_SCRIPT = 2,
  FLAG_ABOVE = 4,
  FLAG_HIDDEN = 8,
  FLAG_COMPUTES = 16,
  FLAG_PROGRAM = 32
};

struct table_entry {
  struct stored stored;
  char *path;
  bool looked; /* by this command */
};

struct pawl_file_table {
  pthread_mutex_t lock;
  const struct pawl_seal_key *key;
  char *path;
  struct pawl_arena arena;
  struct table_entry *slots; /* open addressing; a free slot has path NULL */
  size_t slot_count, count;
  bool changed;
};

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * NS + time.tv_nsec;
}

static void take_signature(const struct stat *info, struct stored *out) {
  out->device = info->st_dev, out->inode = info->st_ino, out->size = (uint64_t)info->st_size;
  out->modified = nanoseconds(info->st_mtim), out->changed = nanoseconds(info->st_ctim);
}

struct pawl_hash pawl_file_signature(const struct stat *info) {
  struct stored stored = {0};
  take_signature(info, &stored);
  return pawl_hash_bytes(&stored, sizeof stored);
}

void pawl_file_sum_add(struct pawl_hash *sum, const char *path, const struct stat *info) {
  struct pawl_hasher hasher;
  const struct pawl_hash signature = pawl_file_signature(info);
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, path);
  pawl_hasher_add(&hasher, &signature, sizeof signature);
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  sum->low += hash.low, sum->high += hash.high;
}

static bool has_signature(const struct stored *a, const struct stored *b) {
  return a->device == b->device && a->inode == b->inode && a->size == b->size &&
         a->modified == b->modified && a->changed == b->changed;
}

/* --- the slots --- */

static struct table_entry *file_table_find_slot(struct pawl_file_table *table, const char *path) {
  size_t i = (size_t)pawl_hash_bytes(path, strlen(path)).low & (table->slot_count - 1);
  while (table->slots[i].path && strcmp(table->slots[i].path, path) != 0)
    i = (i + 1) & (table->slot_count - 1);
  return &table->slots[i];
}

static void grow_slots(struct pawl_file_table *table) {
  struct pawl_file_table larger = *table;
  larger.slot_count = table->slot_count ? 2 * table->slot_count : 1024;
  larger.slots = pawl_alloc(larger.slot_count, sizeof *larger.slots);
  for (size_t i = 0; i < table->slot_count; i++)
    if (table->slots[i].path)
      *file_table_find_slot(&larger, table->slots[i].path) = table->slots[i];
  pawl_free(table->slots);
  *table = larger;
}

static void put_entry(struct pawl_file_table *table, const char *path,
                      const struct stored *stored) {
  if (2 * (table->count + 1) > table->slot_count) grow_slots(table);
  struct table_entry *slot = file_table_find_slot(table, path);
  if (!slot->path) {
    slot->path = pawl_arena_copy(&table->arena, path);
    table->count++;
  }
  slot->stored = *stored;
}

/* --- the file of the table: a seal, then each entry and its path --- */

static void load_table(struct pawl_file_table *table) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text file = {0};
  size_t length;
  const char *body =
      pawl_sealed_read(table->path, TABLE_LIMIT, table->key, PURPOSE, MAGIC, &file, &length);
  for (size_t at = 0; body && at < length;) {
    struct stored stored;
    if (length - at < sizeof stored) return;
    memcpy(&stored, body + at, sizeof stored);
    at += sizeof stored;
    if (stored.path_length >= length - at || body[at + stored.path_length]) return;
    put_entry(table, body + at, &stored);
    at += stored.path_length + 1;
  }
}

static void save_table(struct pawl_file_table *table) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  for (size_t i = 0; i < table->slot_count && table->count <= MOST_LOOKED; i++) {
    struct table_entry *entry = &table->slots[i];
    if (!entry->path || (table->count > MOST_KEPT && !entry->looked)) continue;
    entry->stored.path_length = (uint32_t)strlen(entry->path);
    pawl_text_add_bytes(&body, &entry->stored, sizeof entry->stored);
    pawl_text_add_bytes(&body, entry->path, (size_t)entry->stored.path_length + 1);
  }
  struct pawl_error ignored;
  const enum pawl_status_code status = pawl_sealed_write(
      table->path, table->key, PURPOSE, MAGIC, pawl_text_string(&body), body.length, &ignored);
  (void)status; /* without a table, the next command reads the files again */
}

struct pawl_file_table *pawl_file_table_open(const struct pawl_seal_key *key) {
  struct pawl_file_table *table = pawl_alloc(1, sizeof *table);
  pthread_mutex_init(&table->lock, NULL);
  grow_slots(table);
  if (!key || !key->folder) return table;
  table->key = key;
  table->path = pawl_path_join(key->folder, "files");
  load_table(table);
  return table;
}

void pawl_file_table_close(struct pawl_file_table *table) {
  if (!table) return;
  if (table->changed && table->key) save_table(table);
  pthread_mutex_destroy(&table->lock);
  pawl_arena_clear(&table->arena);
  pawl_free(table->slots);
  pawl_free(table->path);
  pawl_free(table);
}

/* --- reading --- */

static bool file_table_has_text(const struct pawl_text *text, const char *word) {
  return text->length && memmem(text->data, text->length, word, strlen(word));
}

bool pawl_text_reads_by_assembler(const struct pawl_text *text) {
  if (file_table_has_text(text, "incbin") || file_table_has_text(text, ".include")) return true;
  if (!file_table_has_text(text, "asm")) return false;
  PAWL_CLEANUP(pawl_free_pointer) char *joined = pawl_alloc(text->length, 1);
  size_t length = 0;
  for (size_t i = 0; i < text->length; i++)
    if (!memchr("\" \t\r\n\\", text->data[i], 6)) joined[length++] = text->data[i];
  return memmem(joined, length, "incbin", 6) || memmem(joined, length, ".include", 8);
}

void pawl_text_path_use(const char *text, struct pawl_path_use *use) {
  static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (const char *p = text; (p = strchr(p, '.')); p++) {
    const size_t length = strspn(p, name);
    if (p == text || !strchr("/\"<", p[-1]) || p[length] != '/' || length < 2) continue;
    const bool above = length == 2 && p[1] == '.';
    use->above |= above, use->hidden |= !above;
  }
}

void pawl_text_join_lines(struct pawl_text *text) {
  size_t length = 0;
  for (size_t i = 0; i < text->length; i++) {
    const char *next = text->data + i + 1; /* a NUL ends the text */
    const size_t blanks = text->data[i] == '\\' ? strspn(next, " \t\r") : 0;
    if (text->data[i] == '\\' && next[blanks] == '\n')
      i += blanks + 1;
    else
      text->data[length++] = text->data[i];
  }
  text->length = length;
  if (text->data) text->data[length] = '\0';
}

/* Returns whether the word at `p` is a directive, or follows a comment that may hide one. */
static bool begins_directive(const char *text, const char *p) {
  while (p > text && strchr(" \t", p[-1])) p--;
  return p > text && (p[-1] == '#' || (p[-1] == '/' && p - text > 1 && p[-2] == '*'));
}

/* Returns whether the word at `p` is that of an #ifdef, or of `defined`. */
static bool only_asks_if_defined(const char *text, const char *p) {
  while (p > text && strchr(" \t(", p[-1])) p--;
  return (p - text >= 3 && !strncmp(p - 3, "def", 3)) ||
         (p - text >= 7 && !strncmp(p - 7, "defined", 7));
}

bool pawl_text_computes_names(const struct pawl_text *text) {
  /* a sign and a backslash have other spellings */
  static const char *const spellings[] = {"%:", "?\?=", "?\?/"};
  static const char *const words[] = {"include", "import", "embed"};
  static const char has[] = "__has_";
  const char *start = pawl_text_string(text);
  if (strlen(start) < text->length) return true; /* compilers read beyond a NUL */
  for (size_t i = 0; i < PAWL_COUNT(spellings); i++)
    if (file_table_has_text(text, spellings[i])) return true;
  for (size_t i = 0; i < PAWL_COUNT(words); i++) {
    for (const char *p = start; (p = strstr(p, words[i])); p++) {
      const char *rest = p + strlen(words[i]), *question = p - (sizeof has - 1);
      rest += strspn(rest, "_next"); /* include_next, __has_include_next__ */
      rest += strspn(rest, " \t");
      const bool asks =
          p - start >= (long)sizeof has - 1 && !strncmp(question, has, sizeof has - 1);
      if (asks && *rest == '(') rest += 1 + strspn(rest + 1, " \t");
      const bool names = asks ? !only_asks_if_defined(start, question) : begins_directive(start, p);
      if (names && *rest != '"' && *rest != '<') return true;
    }
  }
  return false;
}

/* The sum of the hashes of the names does not depend on their order. */
static bool read_names(const char *path, struct pawl_hash *out) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  struct pawl_hash sum = {0, 0};
  for (struct dirent *item; (item = readdir(folder));) {
    const struct pawl_hash name = pawl_hash_bytes(item->d_name, strlen(item->d_name));
    sum.high += name.high, sum.low += name.low;
  }
  closedir(folder);
  *out = sum;
  return true;
}

/* Fills the buffer, except at the end of the file. Returns a negative number if it cannot read. */
static ssize_t read_chunk(int fd, char *buffer, size_t size) {
  size_t length = 0;
  while (length < size) {
    const ssize_t got = read(fd, buffer + length, size - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return got;
    if (!got) break;
    length += (size_t)got;
  }
  return (ssize_t)length;
}

/* A program or a library may hold any words, and no assembler reads it as a source. So pawl hashes
   a compiler of many MB piece by piece. Returns false if the file is neither, or if it cannot read
   it. */
static bool read_program(const char *path, struct pawl_hash *out) {
  static const char magic[] = "\177ELF", archive[] = "!<arch>\n";
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  PAWL_CLEANUP(pawl_free_pointer) char *buffer = fd < 0 ? NULL : pawl_alloc(CHUNK, 1);
  ssize_t got = fd < 0 ? -1 : read_chunk(fd, buffer, CHUNK);
  if (got < (ssize_t)strlen(archive) ||
      (memcmp(buffer, magic, strlen(magic)) != 0 && memcmp(buffer, archive, strlen(archive)) != 0))
    return false;
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (; got > 0; got = read_chunk(fd, buffer, CHUNK))
    pawl_hasher_add(&hasher, buffer, (size_t)got);
  *out = pawl_hasher_finish(&hasher);
  return got == 0;
}

static bool read_contents(const char *path, const struct stat *info, struct stored *out) {
  out->flags = 0;
  if (S_ISDIR(info->st_mode)) return read_names(path, &out->hash);
  if (S_ISREG(info->st_mode) && read_program(path, &out->hash)) {
    out->flags = FLAG_PROGRAM;
    return true;
  }
  if (!S_ISREG(info->st_mode) || info->st_size > PAWL_LARGEST_INPUT) {
    out->hash = pawl_file_signature(info);
    return true;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  /* a file of /proc says that it is empty, and reading it may block */
  if (info->st_size && pawl_file_read(path, (size_t)PAWL_LARGEST_INPUT + 1, &text, NULL) != PAWL_OK)
    return false;
  out->hash = pawl_hash_bytes(pawl_text_string(&text), text.length);
  struct pawl_path_use paths = {0};
  pawl_text_path_use(pawl_text_string(&text), &paths);
  out->flags = (paths.above ? FLAG_ABOVE : 0) | (paths.hidden ? FLAG_HIDDEN : 0);
  if (pawl_text_reads_by_assembler(&text)) out->flags |= FLAG_ASSEMBLER;
  if (pawl_starts_with(pawl_text_string(&text), "#!")) out->flags |= FLAG_SCRIPT;
  pawl_text_join_lines(&text);
  if (pawl_text_computes_names(&text)) out->flags |= FLAG_COMPUTES;
  return true;
}

/* Returns whether a later change must give the file another time than it has now. */
static bool is_settled(const struct stored *stored, int64_t now) {
  const int64_t tick = stored->changed % NS ? TICK_NS : COARSE_TICK_NS;
  return stored->changed + tick < now;
}

struct pawl_file_facts pawl_file_table_look(struct pawl_file_table *table, const char *path) {
  struct pawl_file_facts facts = {0};
  struct stat info;
  struct timespec now;
  struct stored stored = {0}, known = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  if (stat(path, &info)) return facts;
  take_signature(&info, &stored);
  pthread_mutex_lock(&table->lock);
  struct table_entry *slot = file_table_find_slot(table, path);
  slot->looked = true;
  if (slot->path) known = slot->stored;
  pthread_mutex_unlock(&table->lock);
  if (known.changed && has_signature(&known, &stored)) {
    stored = known;
  } else {
    if (!read_contents(path, &info, &stored)) return facts;
    pthread_mutex_lock(&table->lock);
    if (is_settled(&stored, nanoseconds(now))) {
      put_entry(table, path, &stored);
      table->changed = true;
    }
    pthread_mutex_unlock(&table->lock);
  }
  facts = (struct pawl_file_facts){stored.hash,
                                   true,
                                   stored.flags & FLAG_ASSEMBLER,
                                   stored.flags & FLAG_SCRIPT,
                                   stored.flags & FLAG_COMPUTES,
                                   stored.flags & FLAG_PROGRAM,
                                   {stored.flags & FLAG_ABOVE, stored.flags & FLAG_HIDDEN}};
  return facts;
}
