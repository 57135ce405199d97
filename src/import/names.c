/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"

#include <string.h>

#include "base/clean.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

#define LEAST_ROOM 64 /* slots; a power of two */

/* A name by its hash: 64 bits make two names equal once in 10^7 files of 10^6 names. */
struct pawl_name_slot {
  uint64_t hash; /* 0: the slot is free */
  size_t times;  /* how often it was taken */
};

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

static struct pawl_name_slot *names_find_slot(struct pawl_name_slot *slots, size_t room,
                                              uint64_t hash) {
  size_t i = hash & (room - 1);
  while (slots[i].hash && slots[i].hash != hash) i = (i + 1) & (room - 1);
  return &slots[i];
}

static void grow(struct pawl_names *names) {
  const size_t room = names->room ? 2 * names->room : LEAST_ROOM;
  struct pawl_name_slot *slots = pawl_alloc(room, sizeof *slots);
  for (size_t i = 0; i < names->room; i++)
    if (names->slots[i].hash) *names_find_slot(slots, room, names->slots[i].hash) = names->slots[i];
  pawl_free(names->slots);
  names->slots = slots;
  names->room = room;
}

static uint64_t hash_parts(const char *const *parts, size_t count) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < count; i++) pawl_hasher_add_string(&hasher, parts[i]);
  return pawl_hasher_finish(&hasher).low | 1;
}

size_t pawl_names_take(struct pawl_names *names, const char *const *parts, size_t count) {
  const uint64_t hash = hash_parts(parts, count);
  if (2 * (names->count + 1) > names->room) grow(names);
  struct pawl_name_slot *slot = names_find_slot(names->slots, names->room, hash);
  names->count += !slot->hash;
  slot->hash = hash;
  return ++slot->times;
}

bool pawl_names_has(const struct pawl_names *names, const char *const *parts, size_t count) {
  return names->room &&
         names_find_slot(names->slots, names->room, hash_parts(parts, count))->hash != 0;
}

void pawl_names_empty(struct pawl_names *names) {
  if (names->count) memset(names->slots, 0, names->room * sizeof *names->slots);
  names->count = 0;
}

void pawl_names_clear(struct pawl_names *names) {
  pawl_free(names->slots);
  *names = (struct pawl_names){0};
}
