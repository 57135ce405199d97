/* SPDX-License-Identifier: Apache-2.0 */
#include "build/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "build/tree_walk.h"

#define RECORD_LIMIT ((size_t)64 << 20)
#define RECORD_HEAD "pawl inputs 1"
#define NAMES_SECONDS 1.0 /* builds of a command share the result of a walk for this time */

void pawl_known_inputs_init(struct pawl_known_inputs *known) {
  *known = (struct pawl_known_inputs){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void pawl_known_inputs_clear(struct pawl_known_inputs *known) {
  if (!known) return;
  pawl_file_table_close(known->table);
  pawl_arena_clear(&known->arena);
  pthread_mutex_destroy(&known->lock);
  pawl_known_inputs_init(known);
}

struct pawl_input_look pawl_input_look_make(struct pawl_known_inputs *known,
                                            const char *cache_folder, const char *output_folder,
                                            const struct pawl_seal_key *key) {
  pthread_mutex_lock(&known->lock);
  if (!known->table) known->table = pawl_file_table_open(key);
  pthread_mutex_unlock(&known->lock);
  return (struct pawl_input_look){known, {cache_folder, output_folder, NULL}};
}

/* --- one tree --- */

struct tree_sum {
  const struct pawl_input_look *look;
  const char *root;
  bool contents;
  struct pawl_hash
      sum; /* the sum of the hashes of all files, which does not depend on their order */
};

/* A link counts as the path that it leads to. A link to a folder also counts as the names in that
   folder, because an include directive may use it. */
static void sum_link(const struct tree_sum *tree, const char *path, struct pawl_hasher *hasher) {
  PAWL_CLEANUP(pawl_free_pointer) char *target = pawl_path_real(path);
  pawl_hasher_add_string(hasher, target ? target : "");
  if (!target || (!tree->contents && !pawl_is_folder(target))) return;
  const struct pawl_file_facts facts = pawl_file_table_look(tree->look->known->table, target);
  pawl_hasher_add(hasher, &facts.hash, sizeof facts.hash);
}

/* Returns whether the folder holds one that no build sees. pawl's first run makes it (perf/ for
 * perf/out), and the paths of its files name it. */
static bool leads_to_skipped(const struct tree_sum *tree, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(tree->root, path);
  for (const char *const *skipped = tree->look->skipped; *skipped; skipped++)
    if (pawl_path_holds(folder, *skipped)) return true;
  return false;
}

static void inputs_sum_item(void *context, const struct pawl_tree_item *item) {
  struct tree_sum *tree = context;
  if (item->type == DT_DIR && leads_to_skipped(tree, item->path)) return;
  struct pawl_hash hash = pawl_hash_bytes(item->path, strlen(item->path));
  hash.high += item->type;
  if (item->type == DT_LNK || tree->contents) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(tree->root, item->path);
    struct pawl_hasher hasher;
    pawl_hasher_init(&hasher);
    pawl_hasher_add(&hasher, &hash, sizeof hash);
    if (item->type == DT_LNK) sum_link(tree, path, &hasher);
    if (item->type == DT_REG) {
      const struct pawl_file_facts facts = pawl_file_table_look(tree->look->known->table, path);
      pawl_hasher_add(&hasher, &facts.hash, sizeof facts.hash);
    }
    hash = pawl_hasher_finish(&hasher);
  }
  tree->sum.high += hash.high, tree->sum.low += hash.low;
}

static struct pawl_hash hash_tree(const char *root, bool contents, bool hidden,
                                  const struct pawl_input_look *look) {
  struct tree_sum tree = {look, root, contents, {0, 0}};
  pawl_tree_walk(root, look->skipped, hidden, inputs_sum_item, &tree);
  return tree.sum;
}

static bool recall_names(struct pawl_known_inputs *known, const char *root, struct pawl_hash *out) {
  bool found = false;
  pthread_mutex_lock(&known->lock);
  for (size_t i = 0; i < known->tree_count && !found; i++) {
    found = !strcmp(known->trees[i].root, root) &&
            pawl_seconds_since(known->trees[i].time) < NAMES_SECONDS;
    if (found) *out = known->trees[i].names;
  }
  pthread_mutex_unlock(&known->lock);
  return found;
}

static void remember_names(struct pawl_known_inputs *known, const char *root,
                           struct pawl_hash names, int64_t time) {
  pthread_mutex_lock(&known->lock);
  size_t i = 0;
  while (i < known->tree_count && strcmp(known->trees[i].root, root) != 0) i++;
  if (i == known->tree_count && i < PAWL_WALKED_TREES) {
    known->trees[i].root = pawl_arena_copy(&known->arena, root);
    known->tree_count++;
  }
  if (i < known->tree_count) known->trees[i].names = names, known->trees[i].time = time;
  pthread_mutex_unlock(&known->lock);
}

void pawl_known_inputs_look_again(struct pawl_known_inputs *known) {
  pthread_mutex_lock(&known->lock);
  for (size_t i = 0; i < known->tree_count; i++) known->trees[i].time = INT64_MIN / 2;
  pthread_mutex_unlock(&known->lock);
}

static struct pawl_hash names_of(const char *root, const struct pawl_input_look *look) {
  struct pawl_hash names;
  const int64_t time = pawl_clock_ns();
  if (recall_names(look->known, root, &names)) return names;
  names = hash_tree(root, false, false, look);
  remember_names(look->known, root, names, time);
  return names;
}

struct new_file {
  struct tree_sum tree;
  struct pawl_hash wanted;
  const char *path;
  struct pawl_arena *arena;
};

static void find_new_file(void *context, const struct pawl_tree_item *item) {
  struct new_file *file = context;
  file->tree.sum = (struct pawl_hash){0, 0};
  if (item->type != DT_REG || file->path) return;
  inputs_sum_item(&file->tree, item);
  if (pawl_hash_equal(file->tree.sum, file->wanted))
    file->path = pawl_arena_copy(file->arena, item->path);
}

/* The hashes of the names are a sum, so the difference of two sums is the hash of the one name that
   came. */
const char *pawl_inputs_new_file(const struct pawl_input *names, const struct pawl_input_look *look,
                                 struct pawl_arena *arena) {
  const struct pawl_hash now = names_of(names->path, look);
  struct new_file file = {
      .tree = {look, names->path, false, {0, 0}},
      .wanted = {.high = now.high - names->hash.high, .low = now.low - names->hash.low},
      .arena = arena};
  pawl_tree_walk(names->path, look->skipped, false, find_new_file, &file);
  return file.path;
}

/* --- lists of inputs --- */

bool pawl_input_walks(const struct pawl_input *input) {
  return input->kind == PAWL_INPUT_NAMES || input->kind == PAWL_INPUT_ALL_NAMES ||
         input->kind == PAWL_INPUT_CONTENTS;
}

static struct pawl_hash hash_input(const struct pawl_input *input,
                                   const struct pawl_input_look *look) {
  if (input->kind == PAWL_INPUT_NAMES) return names_of(input->path, look);
  if (input->kind == PAWL_INPUT_CONTENTS) return hash_tree(input->path, true, true, look);
  if (input->kind == PAWL_INPUT_ALL_NAMES) return hash_tree(input->path, false, true, look);
  return pawl_file_table_look(look->known->table, input->path).hash;
}

static struct pawl_input *inputs_append(struct pawl_inputs *inputs, struct pawl_arena *arena,
                                        enum pawl_input_kind kind, const char *path) {
  if (inputs->count == inputs->capacity) {
    const size_t capacity = inputs->capacity ? 2 * inputs->capacity : 64;
    struct pawl_input *items = pawl_arena_alloc(arena, capacity, sizeof *items);
    if (inputs->count) memcpy(items, inputs->items, inputs->count * sizeof *items);
    inputs->items = items, inputs->capacity = capacity;
  }
  struct pawl_input *input = &inputs->items[inputs->count++];
  *input = (struct pawl_input){kind, pawl_arena_copy(arena, path), {0, 0}};
  return input;
}

void pawl_inputs_add(struct pawl_inputs *inputs, struct pawl_arena *arena,
                     enum pawl_input_kind kind, const char *path) {
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->items[i].kind == kind && !strcmp(inputs->items[i].path, path)) return;
  inputs_append(inputs, arena, kind, path);
}

void pawl_inputs_take(struct pawl_inputs *inputs, const struct pawl_input_look *look) {
  for (size_t i = 0; i < inputs->count; i++)
    inputs->items[i].hash = hash_input(&inputs->items[i], look);
}

const char *pawl_inputs_changed(const struct pawl_inputs *inputs,
                                const struct pawl_input_look *look) {
  for (size_t i = 0; i < inputs->count; i++)
    if (!pawl_hash_equal(inputs->items[i].hash, hash_input(&inputs->items[i], look)))
      return inputs->items[i].path;
  return NULL;
}

struct pawl_hash pawl_inputs_hash(const struct pawl_inputs *inputs) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < inputs->count; i++)
    pawl_hasher_add(&hasher, &inputs->items[i].hash, sizeof inputs->items[i].hash);
  return pawl_hasher_finish(&hasher);
}

/* Each piece ends with a NUL, because a path may contain any other character. */
pawl_status pawl_inputs_write(const struct pawl_inputs *inputs, const char *path,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_add_bytes(&text, RECORD_HEAD, sizeof RECORD_HEAD);
  for (size_t i = 0; i < inputs->count; i++) {
    const struct pawl_input *input = &inputs->items[i];
    char digits[PAWL_HASH_TEXT];
    pawl_hash_format(input->hash, digits);
    pawl_text_printf(&text, "%c%s%s", (char)input->kind, digits, input->path);
    pawl_text_add_bytes(&text, "", 1);
  }
  return pawl_file_write_unsynced(path, text.data, text.length, err);
}

bool pawl_inputs_read(struct pawl_inputs *inputs, struct pawl_arena *arena, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const size_t digits = PAWL_HASH_TEXT - 1;
  if (pawl_file_read(path, RECORD_LIMIT, &text, NULL) != PAWL_OK || !text.length ||
      text.data[text.length - 1] || strcmp(text.data, RECORD_HEAD) != 0)
    return false;
  for (size_t at = sizeof RECORD_HEAD; at < text.length; at += strlen(text.data + at) + 1) {
    char hash[PAWL_HASH_TEXT] = "";
    const char *line = text.data + at;
    if (strlen(line) < 1 + digits) return false;
    memcpy(hash, line + 1, digits);
    struct pawl_input *input =
        inputs_append(inputs, arena, (enum pawl_input_kind) * line, line + 1 + digits);
    if (!pawl_hash_parse(hash, &input->hash)) return false;
  }
  return true;
}

/* --- snapshots --- */

static struct pawl_hash hash_item(const char *path, struct pawl_hash state) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, path);
  pawl_hasher_add(&hasher, &state, sizeof state);
  return pawl_hasher_finish(&hasher);
}

static struct pawl_hash folder_state(const struct stat *info) {
  return (struct pawl_hash){.high = info->st_dev, .low = info->st_ino};
}

struct snapshot_walk {
  struct pawl_snapshot *snapshot;
  struct tree_sum names;
  dev_t device; /* that of the mark */
  bool foreign; /* the tree has a folder of another file system */
};

static void snapshot_item(void *context, const struct pawl_tree_item *item) {
  struct snapshot_walk *walk = context;
  struct pawl_snapshot *snapshot = walk->snapshot;
  const bool folder = item->type == DT_DIR;
  struct stat info;
  inputs_sum_item(&walk->names, item);
  snapshot->links |= item->type == DT_LNK;
  if (folder) pawl_text_add_bytes(&snapshot->folders, item->path, strlen(item->path) + 1);
  if ((!folder && !(snapshot->exact && item->type == DT_REG)) ||
      fstatat(item->folder, item->name, &info, AT_SYMLINK_NOFOLLOW))
    return;
  walk->foreign |= folder && info.st_dev != walk->device;
  if (folder == snapshot->exact) return;
  snapshot->items =
      pawl_grow(snapshot->items, snapshot->count, &snapshot->capacity, sizeof *snapshot->items);
  snapshot->items[snapshot->count++] =
      hash_item(item->path, folder ? folder_state(&info) : pawl_file_signature(&info));
}

static int by_hash(const void *a, const void *b) {
  const struct pawl_hash *x = a, *y = b;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->low == y->low ? 0 : x->low < y->low ? -1 : 1;
}

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Returns whether somebody has set the clock back. A correction of the clock makes it slower by at
   most a tenth, so that it still runs forward. */
static bool clock_jumped(const struct pawl_snapshot *snapshot) {
  const int64_t wall = read_clock(CLOCK_REALTIME) - snapshot->wall;
  const int64_t uptime = read_clock(CLOCK_BOOTTIME) - snapshot->uptime;
  return wall < uptime - uptime / 8 - INT64_C(1000000);
}

pawl_status pawl_snapshot_take(struct pawl_snapshot *snapshot, const char *root, const char *mark,
                               bool exact, const struct pawl_input_look *look,
                               struct pawl_error *err) {
  *snapshot = (struct pawl_snapshot){.root = root,
                                     .look = look,
                                     .exact = exact,
                                     .wall = read_clock(CLOCK_REALTIME),
                                     .uptime = read_clock(CLOCK_BOOTTIME)};
  struct stat top;
  PAWL_TRY(pawl_file_write_unsynced(mark, "", 0, err));
  if (stat(mark, &snapshot->mark)) return pawl_fail_errno(err, errno, "cannot read '%s'", mark);
  if (stat(root, &top)) return pawl_fail_errno(err, errno, "'%s'", root);
  const dev_t device = snapshot->mark.st_dev;
  struct snapshot_walk walk = {snapshot, {look, root, false, {0, 0}}, device, top.st_dev != device};
  const int64_t time = pawl_clock_ns();
  pawl_tree_walk(root, look->skipped, false, snapshot_item, &walk);
  if (walk.foreign && !exact) {
    pawl_snapshot_clear(snapshot);
    return pawl_snapshot_take(snapshot, root, mark, true, look, err);
  }
  snapshot->names = walk.names.sum;
  remember_names(look->known, root, snapshot->names, time);
  if (snapshot->count) qsort(snapshot->items, snapshot->count, sizeof *snapshot->items, by_hash);
  return PAWL_OK;
}

void pawl_snapshot_clear(struct pawl_snapshot *snapshot) {
  pawl_free(snapshot->items);
  pawl_text_clear(&snapshot->folders);
  *snapshot = (struct pawl_snapshot){0};
}

static bool has_item(const struct pawl_snapshot *snapshot, const char *path,
                     struct pawl_hash state) {
  const struct pawl_hash hash = hash_item(path, state);
  return snapshot->count && bsearch(&hash, snapshot->items, snapshot->count, sizeof hash, by_hash);
}

/* Returns whether the folders between the root and the file are those of the snapshot. */
static bool has_folders(const struct pawl_snapshot *snapshot, const char *path) {
  const size_t root = strlen(snapshot->root) + 1;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join("/", path);
  struct stat info;
  for (char *slash; (slash = strrchr(folder + root, '/'));) {
    *slash = '\0';
    if (stat(folder, &info) || !has_item(snapshot, folder + root, folder_state(&info)))
      return false;
  }
  return true;
}

static bool is_older(const struct pawl_snapshot *snapshot, const struct stat *info) {
  const struct timespec then = snapshot->mark.st_ctim, now = info->st_ctim;
  return now.tv_sec < then.tv_sec || (now.tv_sec == then.tv_sec && now.tv_nsec < then.tv_nsec);
}

static bool keeps_names(const struct pawl_snapshot *snapshot, const char *folder) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(snapshot->root, folder);
  struct stat info;
  return !lstat(path, &info) && is_older(snapshot, &info) &&
         (!*folder || has_item(snapshot, folder, folder_state(&info)));
}

void pawl_snapshot_recall_names(const struct pawl_snapshot *snapshot) {
  const int64_t time = pawl_clock_ns();
  const struct pawl_text *folders = &snapshot->folders;
  bool same = !snapshot->exact && !snapshot->links && keeps_names(snapshot, "");
  for (size_t at = 0; same && at < folders->length; at += strlen(folders->data + at) + 1)
    same = keeps_names(snapshot, folders->data + at);
  if (same && !clock_jumped(snapshot))
    remember_names(snapshot->look->known, snapshot->root, snapshot->names, time);
}

bool pawl_snapshot_holds(const struct pawl_snapshot *snapshot, const char *path) {
  struct stat info;
  if (lstat(path, &info)) return false;
  const bool older = is_older(snapshot, &info);
  if (!pawl_tree_visits(snapshot->root, snapshot->look->skipped, path)) return older;
  if (snapshot->exact)
    return has_item(snapshot, path + strlen(snapshot->root) + 1, pawl_file_signature(&info));
  return older && !clock_jumped(snapshot) && has_folders(snapshot, path);
}

bool pawl_snapshot_equal(const struct pawl_snapshot *a, const struct pawl_snapshot *b) {
  return a->exact && b->exact && a->count == b->count && pawl_hash_equal(a->names, b->names) &&
         (!a->count || !memcmp(a->items, b->items, a->count * sizeof *a->items));
}
