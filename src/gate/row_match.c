/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/row_match.h"

#include <stdlib.h>
#include <string.h>

#include "model/dtype.h"
#include "model/result.h"

static bool named(const char *name) {
  return name && *name && strcmp(name, PAWL_KERNEL_UNNAMED) != 0;
}

bool pawl_shapes_agree(const struct pawl_case *a, const struct pawl_case *b) {
  if (a->dtype != PAWL_DTYPE_NONE && b->dtype != PAWL_DTYPE_NONE && a->dtype != b->dtype)
    return false;
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++)
      if (strcmp(a->dims[i].name, b->dims[j].name) == 0 && a->dims[i].value != b->dims[j].value)
        return false;
  return true;
}

static int compare_dims(const void *a, const void *b) {
  return strcmp(((const struct pawl_dim *)a)->name, ((const struct pawl_dim *)b)->name);
}

const char *pawl_shape_key(const struct pawl_case *config, struct pawl_arena *arena) {
  if (config->count == 0) return "";
  struct pawl_dim *dims = pawl_arena_alloc(arena, (size_t)config->count, sizeof *dims);
  memcpy(dims, config->dims, (size_t)config->count * sizeof *dims);
  qsort(dims, (size_t)config->count, sizeof *dims, compare_dims);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (int i = 0; i < config->count; i++)
    pawl_text_printf(&text, "%s%s=%lld", i > 0 ? "," : "", dims[i].name, (long long)dims[i].value);
  if (config->dtype != PAWL_DTYPE_NONE)
    pawl_text_printf(&text, ",dtype=%s", pawl_dtype_name(config->dtype));
  return pawl_arena_copy(arena, pawl_text_string(&text));
}

/* A row and its look-up text in one pass. */
struct row_key {
  const char *text;
  size_t row;
};

static int compare_entries(const void *a, const void *b) {
  const struct row_key *x = a, *y = b;
  const int order = strcmp(x->text, y->text);
  return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* Returns the look-up text of a row in a pass, or NULL if it has none. */
typedef const char *row_text(const struct pawl_row_key *key, struct pawl_arena *arena);

static const char *kernel_and_case(const struct pawl_row_key *key, struct pawl_arena *arena) {
  if (!key->config->name) return NULL;
  return pawl_arena_printf(arena, "%s\x1f%s", key->kernel_name ? key->kernel_name : "",
                           key->config->name);
}

static const char *kernel_and_shape(const struct pawl_row_key *key, struct pawl_arena *arena) {
  if (key->config->count == 0) return NULL;
  return pawl_arena_printf(arena, "%s\x1f%s", key->kernel_name ? key->kernel_name : "",
                           pawl_shape_key(key->config, arena));
}

static const char *case_alone(const struct pawl_row_key *key, struct pawl_arena *arena) {
  (void)arena;
  return key->config->name;
}

static const char *shape_alone(const struct pawl_row_key *key, struct pawl_arena *arena) {
  return key->config->count > 0 ? pawl_shape_key(key->config, arena) : NULL;
}

static struct row_key *sorted_entries(const struct pawl_row_set *side, const bool *taken,
                                      row_text *text, struct pawl_arena *arena, size_t *count) {
  struct row_key *entries = pawl_arena_alloc(arena, side->count + 1, sizeof *entries);
  size_t n = 0;
  for (size_t i = 0; i < side->count; i++) {
    const char *found = taken[i] ? NULL : text(&side->keys[i], arena);
    if (found) entries[n++] = (struct row_key){found, i};
  }
  qsort(entries, n, sizeof *entries, compare_entries);
  *count = n;
  return entries;
}

static size_t run_length(const struct row_key *entries, size_t from, size_t count) {
  size_t end = from + 1;
  while (end < count && strcmp(entries[end].text, entries[from].text) == 0) end++;
  return end - from;
}

static pawl_status reject_duplicates(const struct pawl_row_set *side, const struct row_key *entries,
                                     size_t count, struct pawl_error *err) {
  for (size_t i = 1; i < count && !side->may_repeat; i++) {
    if (strcmp(entries[i].text, entries[i - 1].text) != 0) continue;
    const struct pawl_row_key *key = &side->keys[entries[i].row];
    return pawl_fail(
        err, PAWL_BAD_DATA,
        "%s has two results of kernel '%s', case '%s': keep one, or give the cases different names",
        side->what, key->kernel_name ? key->kernel_name : "", key->config->name);
  }
  return PAWL_OK;
}

struct pairing {
  const struct pawl_row_set *left, *right;
  bool *right_taken;
  struct pawl_row_match *pairs;
};

static void pair_rows(const struct pairing *job, size_t left, size_t right,
                      enum pawl_row_match_kind how) {
  const struct pawl_row_key *a = &job->left->keys[left], *b = &job->right->keys[right];
  if (!pawl_shapes_agree(a->config, b->config)) return;
  if (how == PAWL_MATCH_ANY_KERNEL && named(a->kernel_name) && named(b->kernel_name)) return;
  job->pairs->partner[right] = left;
  job->pairs->how[right] = how;
  job->pairs->left_taken[left] = job->right_taken[right] = true;
}

/* Pairs the free rows whose texts are equal and occur once on each side. */
static pawl_status pass(const struct pairing *job, row_text *text, enum pawl_row_match_kind how,
                        struct pawl_arena *arena, struct pawl_error *err) {
  size_t left_count, right_count;
  const struct row_key *left =
      sorted_entries(job->left, job->pairs->left_taken, text, arena, &left_count);
  const struct row_key *right =
      sorted_entries(job->right, job->right_taken, text, arena, &right_count);
  if (how == PAWL_MATCH_NAME) {
    PAWL_TRY(reject_duplicates(job->left, left, left_count, err));
    PAWL_TRY(reject_duplicates(job->right, right, right_count, err));
  }
  for (size_t i = 0, j = 0; i < left_count && j < right_count;) {
    const int order = strcmp(left[i].text, right[j].text);
    const size_t i_run = run_length(left, i, left_count), j_run = run_length(right, j, right_count);
    if (order == 0 && i_run == 1 && j_run == 1) pair_rows(job, left[i].row, right[j].row, how);
    if (order <= 0) i += i_run;
    if (order >= 0) j += j_run;
  }
  return PAWL_OK;
}

pawl_status pawl_match_rows(const struct pawl_row_set *left, const struct pawl_row_set *right,
                            bool names_only, struct pawl_arena *arena, struct pawl_row_match *out,
                            struct pawl_error *err) {
  struct pawl_row_match pairs = {
      pawl_arena_alloc(arena, right->count + 1, sizeof *pairs.partner),
      pawl_arena_alloc(arena, right->count + 1, sizeof *pairs.how),
      pawl_arena_alloc(arena, left->count + 1, sizeof *pairs.left_taken)};
  for (size_t i = 0; i < right->count; i++) pairs.partner[i] = PAWL_NO_MATCH;
  const struct pairing job = {left, right, pawl_arena_alloc(arena, right->count + 1, sizeof(bool)),
                              &pairs};
  PAWL_TRY(pass(&job, kernel_and_case, PAWL_MATCH_NAME, arena, err));
  if (!names_only) PAWL_TRY(pass(&job, kernel_and_shape, PAWL_MATCH_SHAPE, arena, err));
  PAWL_TRY(pass(&job, case_alone, PAWL_MATCH_ANY_KERNEL, arena, err));
  if (!names_only) PAWL_TRY(pass(&job, shape_alone, PAWL_MATCH_ANY_KERNEL, arena, err));
  if (!names_only && left->count == 1 && right->count == 1 && !pairs.left_taken[0])
    pair_rows(&job, 0, 0, PAWL_MATCH_ONLY_ROW);
  *out = pairs;
  return PAWL_OK;
}
