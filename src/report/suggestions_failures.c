/* SPDX-License-Identifier: Apache-2.0 */
#include "report/suggestions_failures.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/escape.h"

#define MOST_ROWS 10u

struct failure {
  const struct pawl_tune_candidate *first;
  size_t count;
};

/* Returns whether two failures have the same reason, except for the numbers, such as "needs 233472
   bytes". */
static bool is_alike(const struct pawl_tune_candidate *a, const struct pawl_tune_candidate *b) {
  return a->outcome == b->outcome &&
         pawl_same_but_for_numbers(a->reason ? a->reason : "", b->reason ? b->reason : "");
}

static int by_count(const void *a, const void *b) {
  const struct failure *left = a, *right = b;
  if (left->count != right->count) return left->count > right->count ? -1 : 1;
  return left->first < right->first
             ? -1
             : left->first > right->first; /* all pointers are into one array */
}

/* Returns how many reasons there are. */
static size_t group(const struct pawl_tune *tune, struct failure *failures) {
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    size_t at = 0;
    if (candidate->outcome == PAWL_OUTCOME_OK) continue;
    while (at < count && !is_alike(failures[at].first, candidate)) at++;
    if (at == count) failures[count++] = (struct failure){candidate, 0};
    failures[at].count++;
  }
  qsort(failures, count, sizeof *failures, by_count);
  return count;
}

void pawl_tune_suggest_failures(const struct pawl_tune *tune, struct pawl_text *out) {
  struct failure *failures = pawl_alloc(tune->count + 1, sizeof *failures);
  const size_t count = group(tune, failures), shown = count < MOST_ROWS ? count : MOST_ROWS;
  if (count)
    pawl_text_add(out,
                  "\n## What failed\n\nA constraint in `tune` keeps a search from configurations "
                  "that cannot work. Each row has an example; the numbers in its reason are those "
                  "of the example. `tune.json` has the reason of each configuration.\n\n"
                  "| configurations | outcome | reason | example |\n|---:|---|---|---|\n");
  for (size_t i = 0; i < shown; i++) {
    const struct pawl_tune_candidate *first = failures[i].first;
    pawl_text_printf(out, "| %zu | %s | ", failures[i].count, pawl_outcome_name(first->outcome));
    pawl_markdown_code(first->reason ? first->reason : "unknown", out);
    pawl_text_add(out, " | ");
    pawl_markdown_code(first->key, out);
    pawl_text_add(out, " |\n");
  }
  if (count > shown)
    pawl_text_printf(out, "\n`tune.json` has %zu more kinds of failure.\n", count - shown);
  pawl_free(failures);
}
