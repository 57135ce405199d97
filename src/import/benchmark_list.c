/* SPDX-License-Identifier: Apache-2.0 */
#include "import/benchmark_list.h"

#include <string.h>

#include "base/clean.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/fields.h"

#define FAULT_BYTES 300

/* The first `room` bytes of a text, without a part of a character. */
static size_t cut(const char *text, size_t room) {
  if (strlen(text) <= room) return strlen(text);
  while (room && ((unsigned char)text[room] & 0xc0) == 0x80) room--;
  return room;
}

/* Two long names that begin alike stay two names. */
static const char *make_name(const char *raw, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  char hash[PAWL_HASH_TEXT];
  if (!raw) return NULL;
  pawl_clean_text(raw, false, &cleaned);
  const char *name = pawl_text_string(&cleaned);
  if (!*name) return "(no name)";
  if (strlen(name) <= PAWL_FIELD_NAME_BYTES) return pawl_arena_copy(arena, name);
  pawl_hash_format(pawl_hash_bytes(raw, strlen(raw)), hash);
  const size_t kept = cut(name, PAWL_FIELD_NAME_BYTES - strlen("...") - strlen(hash));
  return pawl_arena_printf(arena, "%.*s...%s", (int)kept, name, hash);
}

static struct pawl_benchmark *append(struct pawl_benchmark_list *list, const char *name) {
  struct pawl_benchmarks *all = &list->all;
  if ((all->count & (all->count - 1)) == 0) { /* full: the room doubles at powers of two */
    struct pawl_benchmark *grown =
        pawl_arena_alloc(list->arena, all->count ? 2 * all->count : 1, sizeof *grown);
    if (all->count) memcpy(grown, all->items, all->count * sizeof *grown);
    all->items = grown;
  }
  all->items[all->count] = (struct pawl_benchmark){.name = name};
  return &all->items[all->count++];
}

pawl_status pawl_benchmark_list_open(struct pawl_benchmark_list *list, const char *raw,
                                     struct pawl_benchmark **out, bool *is_new,
                                     struct pawl_error *err) {
  struct pawl_benchmarks *all = &list->all;
  const char *name = make_name(raw, list->arena);
  const struct pawl_benchmark *known = pawl_benchmarks_find(all, name);
  *is_new = !known;
  if (known) {
    *out = &all->items[known - all->items];
    return PAWL_OK;
  }
  if (all->count && (!name || !all->items[0].name))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a benchmark has no name, and is not the only one",
                     list->file);
  if (all->count >= PAWL_MOST_BENCHMARKS)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: more than %d benchmarks: let the command run fewer",
                     list->file, PAWL_MOST_BENCHMARKS);
  *out = append(list, name);
  return PAWL_OK;
}

void pawl_benchmark_set_fault(struct pawl_benchmark *benchmark, bool failed, const char *fault,
                              struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  pawl_clean_text(fault, false, &cleaned);
  const char *text = pawl_text_string(&cleaned);
  benchmark->fault = pawl_arena_printf(arena, "%.*s", (int)cut(text, FAULT_BYTES), text);
  benchmark->failed = failed;
  benchmark->seconds = NULL;
  benchmark->count = 0;
}

void pawl_benchmark_repeats(struct pawl_benchmark *benchmark) {
  benchmark->fault = "the file lists this name twice: give each benchmark a name of its own";
  benchmark->failed = false;
  benchmark->seconds = NULL;
  benchmark->count = 0;
}

pawl_status pawl_benchmark_list_add(struct pawl_benchmark_list *list, const char *name,
                                    const struct pawl_times *times, struct pawl_error *err) {
  struct pawl_benchmark *benchmark;
  bool is_new;
  PAWL_TRY(pawl_benchmark_list_open(list, name, &benchmark, &is_new, err));
  if (!is_new) {
    pawl_benchmark_repeats(benchmark);
  } else if (times->count) {
    benchmark->seconds = times->seconds;
    benchmark->count = times->count;
  } else {
    benchmark->fault = "the file has no times of it";
  }
  return PAWL_OK;
}

pawl_status pawl_benchmark_list_add_fault(struct pawl_benchmark_list *list, const char *name,
                                          bool failed, const char *fault, struct pawl_error *err) {
  struct pawl_benchmark *benchmark;
  bool is_new;
  PAWL_TRY(pawl_benchmark_list_open(list, name, &benchmark, &is_new, err));
  if (is_new)
    pawl_benchmark_set_fault(benchmark, failed, fault, list->arena);
  else
    pawl_benchmark_repeats(benchmark);
  return PAWL_OK;
}
