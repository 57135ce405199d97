/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"

#include <string.h>

#include "base/clean.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

#define LEAST_ROOM 64 /* places; a power of two */

/* The first `room` bytes of a text, without a part of a character. */
static size_t names_cut(const char *text, size_t room) {
  while (room && ((unsigned char)text[room] & 0xc0) == 0x80) room--;
  return room;
}

const char *pawl_name_make(const char *raw, const char *none, size_t limit,
                           struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  char hash[PAWL_HASH_TEXT];
  pawl_clean_name(raw && *raw ? raw : none, &cleaned);
  const char *name = pawl_text_string(&cleaned);
  if (strlen(name) <= limit) return pawl_arena_copy(arena, name);
  pawl_hash_format(pawl_hash_bytes(raw, strlen(raw)), hash);
  const size_t kept = names_cut(name, limit - strlen("...") - strlen(hash));
  return pawl_arena_printf(arena, "%.*s...%s", (int)kept, name, hash);
}

/* The place of a name, or the free place where it belongs. */
static size_t names_find(const struct pawl_name_set *set, uint64_t hash) {
  size_t i = hash & (set->room - 1);
  while (set->hashes[i] && set->hashes[i] != hash) i = (i + 1) & (set->room - 1);
  return i;
}

static void names_grow(struct pawl_name_set *set, bool counts) {
  const struct pawl_name_set old = *set;
  set->room = old.room ? 2 * old.room : LEAST_ROOM;
  set->hashes = pawl_alloc(set->room, sizeof *set->hashes);
  if (counts) set->times = pawl_alloc(set->room, sizeof *set->times);
  for (size_t i = 0; i < old.room; i++) {
    if (!old.hashes[i]) continue;
    const size_t place = names_find(set, old.hashes[i]);
    set->hashes[place] = old.hashes[i];
    if (counts) set->times[place] = old.times[i];
  }
  pawl_free(old.hashes);
  pawl_free(old.times);
}

/* The place of a name in the set, which has it from now on. */
static size_t names_add(struct pawl_name_set *set, bool counts, uint64_t hash, bool *is_new) {
  if (4 * (set->count + 1) > 3 * set->room) names_grow(set, counts);
  const size_t place = names_find(set, hash);
  *is_new = !set->hashes[place];
  set->count += *is_new;
  set->hashes[place] = hash;
  return place;
}

static uint64_t hash_parts(const char *const *parts, size_t count) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < count; i++) pawl_hasher_add_string(&hasher, parts[i]);
  return pawl_hasher_finish(&hasher).low | 1;
}

/* Within a set the other bits of the hash find the place. */
static size_t names_set_of(uint64_t hash) { return hash >> 56 & (PAWL_NAME_SETS - 1); }

size_t pawl_names_take(struct pawl_names *names, const char *const *parts, size_t count) {
  const uint64_t hash = hash_parts(parts, count);
  bool is_new;
  names_add(&names->taken[names_set_of(hash)], false, hash, &is_new);
  if (is_new) return 1;
  const size_t place = names_add(&names->again, true, hash, &is_new);
  return 1 + ++names->again.times[place];
}

bool pawl_names_has(const struct pawl_names *names, const char *const *parts, size_t count) {
  const uint64_t hash = hash_parts(parts, count);
  const struct pawl_name_set *taken = &names->taken[names_set_of(hash)];
  return taken->room && taken->hashes[names_find(taken, hash)];
}

static void names_empty_set(struct pawl_name_set *set) {
  if (!set->count) return;
  memset(set->hashes, 0, set->room * sizeof *set->hashes);
  if (set->times) memset(set->times, 0, set->room * sizeof *set->times);
  set->count = 0;
}

void pawl_names_empty(struct pawl_names *names) {
  for (size_t i = 0; i < PAWL_NAME_SETS; i++) names_empty_set(&names->taken[i]);
  names_empty_set(&names->again);
}

void pawl_names_clear(struct pawl_names *names) {
  for (size_t i = 0; i < PAWL_NAME_SETS; i++) pawl_free(names->taken[i].hashes);
  pawl_free(names->again.hashes);
  pawl_free(names->again.times);
  *names = (struct pawl_names){0};
}
