/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/baseline_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "build/git.h"
#include "forge/recompute.h"
#include "stats/describe.h"

#define SLACK 1e-6 /* files hold rounded figures beside exact samples */

/* A part's baseline, the base's, and the baseline that the ratchet makes of the run. Each has its
 * document of pawl_baseline_to_json. */
struct baseline_judging {
  struct pawl_baseline part, anew;
  json_t *part_document, *base_document, *anew_document;
  const struct pawl_ratchet_report *report;
  struct pawl_error *err;
};

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "unknown";
}

static enum pawl_status_code refuse_object(const struct baseline_judging *judging,
                                           const json_t *object, const char *what,
                                           const char *why) {
  return pawl_fail(judging->err, PAWL_BAD_DATA,
                   "refused: the baseline's %s of kernel '%.100s' on case '%.100s' %s", what,
                   text_of(object, "kernel_name"), text_of(object, "case_name"), why);
}

/* --- documents --- */

static bool numbers_agree(double a, double b) {
  return fabs(a - b) <= SLACK * fmax(fabs(a), fabs(b));
}

static bool values_agree(const json_t *a, const json_t *b) {
  if (json_is_null(a)) a = NULL;
  if (json_is_null(b)) b = NULL;
  if (!a || !b) return !a && !b;
  if (json_is_number(a) && json_is_number(b))
    return numbers_agree(json_number_value(a), json_number_value(b));
  if (!json_is_array(a) || !json_is_array(b)) return json_equal(a, b);
  bool same = json_array_size(a) == json_array_size(b);
  for (size_t i = 0; same && i < json_array_size(a); i++)
    same = values_agree(json_array_get(a, i), json_array_get(b, i));
  return same;
}

/* Returns the first key whose values differ and that `free` does not name, or NULL. */
static const char *find_difference(const json_t *a, const json_t *b, const char *const *free) {
  const json_t *const both[] = {a, b};
  for (size_t i = 0; i < PAWL_COUNT(both); i++) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)both[i], key, value) {
      size_t j = 0;
      while (free[j] && strcmp(free[j], key) != 0) j++;
      if (!free[j] && !values_agree(json_object_get(a, key), json_object_get(b, key))) return key;
    }
  }
  return NULL;
}

/* Returns the entry or move of `list` with the same kernel, case and hardware, or NULL. */
static const json_t *find_same(const json_t *list, size_t first, const json_t *object) {
  static const char *const names[] = {"kernel_name", "case_name", "hardware"};
  for (size_t i = first; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    size_t same = 0;
    while (same < PAWL_COUNT(names) &&
           values_agree(json_object_get(item, names[same]), json_object_get(object, names[same])))
      same++;
    if (same == PAWL_COUNT(names)) return item;
  }
  return NULL;
}

/* --- entries --- */

static const struct pawl_ratchet_row *find_moved_row(const struct baseline_judging *judging,
                                                     const json_t *entry) {
  for (size_t i = 0; i < judging->report->count; i++) {
    const struct pawl_ratchet_row *row = &judging->report->rows[i];
    if (row->change != PAWL_RATCHET_KEPT &&
        pawl_text_equal(row->comparison.kernel_name, text_of(entry, "kernel_name")) &&
        pawl_text_equal(row->comparison.config.name, text_of(entry, "case_name")))
      return row;
  }
  return NULL;
}

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double median_of(const json_t *samples) {
  const size_t count = json_array_size(samples);
  double *times = pawl_alloc(count + 1, sizeof *times);
  struct pawl_summary summary = {.median = NAN};
  for (size_t i = 0; i < count; i++) times[i] = json_number_value(json_array_get(samples, i));
  const bool known = count && pawl_summarize(times, count, &summary, NULL) == PAWL_OK;
  pawl_free(times);
  return known ? summary.median : (double)NAN;
}

/* The verdict has the blocks of a confirmation, but not their samples. Returns the first key that
 * the blocks do not give, or NULL. */
static const char *find_unconfirmed(const struct pawl_paired_test *paired, const json_t *entry,
                                    const json_t *anew) {
  static const char *const rates[] = {"throughput_gflops", "bandwidth_gb_s"};
  const double median = number_of(entry, "median_ms"), anew_ms = number_of(anew, "median_ms");
  const json_t *samples = json_object_get(entry, "samples_ms");
  double least = INFINITY, greatest = 0;
  for (size_t i = 0; i < paired->confirmation_count; i++) {
    if (paired->confirmation[i].spoiled) continue;
    least = fmin(least, paired->confirmation[i].candidate_ms);
    greatest = fmax(greatest, paired->confirmation[i].candidate_ms);
  }
  if (!(median >= least * (1 - SLACK) && median <= greatest * (1 + SLACK))) return "median_ms";
  if (json_array_size(samples) && !numbers_agree(median_of(samples), median)) return "samples_ms";
  for (size_t i = 0; i < PAWL_COUNT(rates); i++) {
    const double rate = number_of(anew, rates[i]);
    if (!isnan(rate) && !numbers_agree(rate * anew_ms, number_of(entry, rates[i]) * median))
      return rates[i];
  }
  return NULL;
}

static pawl_status judge_entry(const struct baseline_judging *judging, const json_t *entry) {
  static const char *const none[] = {NULL};
  static const char *const confirmed[] = {
      "median_ms",      "ci_95_low",  "ci_95_high", "throughput_gflops",
      "bandwidth_gb_s", "samples_ms", NULL};
  const json_t *anew = find_same(json_object_get(judging->anew_document, "entries"), 0, entry);
  const struct pawl_ratchet_row *row = find_moved_row(judging, entry);
  if (!anew || !row)
    return refuse_object(judging, entry, "entry", "does not follow from the measurements");
  const bool paired = row->paired && row->change == PAWL_RATCHET_IMPROVED;
  const char *key = find_difference(entry, anew, paired ? confirmed : none);
  if (!key && paired) key = find_unconfirmed(row->paired, entry, anew);
  if (!key) return PAWL_OK;
  char why[100];
  snprintf(why, sizeof why, "has another '%.40s' than the measurements give", key);
  return refuse_object(judging, entry, "entry", why);
}

/* --- moves --- */

static pawl_status judge_move(const struct baseline_judging *judging, const json_t *move,
                              size_t known) {
  static const char *const free[] = {"to_ms", NULL};
  const json_t *anew = find_same(json_object_get(judging->anew_document, "moves"), known, move);
  const json_t *entry = find_same(json_object_get(judging->part_document, "entries"), 0, move);
  if (anew && entry && !find_difference(move, anew, free) &&
      numbers_agree(number_of(move, "to_ms"), number_of(entry, "median_ms")))
    return PAWL_OK;
  return refuse_object(judging, move, "move", "does not follow from the measurements");
}

/* Checks that each changed entry has one move, and that the earlier moves stay. */
static pawl_status judge_moves(const struct baseline_judging *judging, size_t changed) {
  const json_t *moves = json_object_get(judging->part_document, "moves");
  const json_t *earlier = json_object_get(judging->base_document, "moves");
  const size_t known = json_array_size(earlier), count = json_array_size(moves);
  for (size_t i = 0; i < known; i++)
    if (!values_agree(json_array_get(moves, i), json_array_get(earlier, i)))
      return refuse_object(judging, json_array_get(earlier, i), "move",
                           "is in the base's, but changed");
  for (size_t i = known; i < count; i++) {
    const json_t *move = json_array_get(moves, i);
    PAWL_TRY(judge_move(judging, move, known));
    if (find_same(moves, i + 1, move))
      return refuse_object(judging, move, "move", "is there twice");
  }
  if (count - known == changed) return PAWL_OK;
  return pawl_fail(judging->err, PAWL_BAD_DATA,
                   "refused: the baseline changes %zu entries, but has %zu moves", changed,
                   count - known);
}

/* --- the whole --- */

static pawl_status judge_document(const struct baseline_judging *judging) {
  size_t changed = 0, i;
  json_t *entry;
  json_array_foreach(json_object_get(judging->part_document, "entries"), i, entry) {
    const json_t *before = find_same(json_object_get(judging->base_document, "entries"), 0, entry);
    if (before && json_equal(before, entry)) continue;
    PAWL_TRY(judge_entry(judging, entry));
    changed++;
  }
  return judge_moves(judging, changed);
}

static pawl_status judge_file(struct baseline_judging *judging, const char *file,
                              struct pawl_arena *arena) {
  PAWL_TRY(pawl_baseline_read(file, arena, &judging->part, judging->err));
  judging->part_document = pawl_baseline_to_json(&judging->part);
  const enum pawl_status_code status = judge_document(judging);
  json_decref(judging->part_document);
  return status;
}

static pawl_status check_commit(const struct pawl_stored_run *run,
                                const struct pawl_forge_expected *expected,
                                struct pawl_error *err) {
  const char *commit = run->results.commit;
  if (expected->root && commit && pawl_git_is_commit(commit) &&
      pawl_git_is_ancestor(expected->root, commit, "HEAD"))
    return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "refused: the baseline is of commit '%.64s', which the history of this checkout "
                   "does not have",
                   commit ? commit : "unknown");
}

pawl_status pawl_forge_judge_baseline(const struct pawl_stored_run *run,
                                      const struct pawl_forge_expected *expected,
                                      char *const *files, int count, struct pawl_arena *arena,
                                      struct pawl_error *err) {
  struct pawl_ratchet_report report = {0};
  struct baseline_judging judging = {.report = &report, .err = err};
  PAWL_TRY(check_commit(run, expected, err));
  PAWL_TRY(pawl_forge_ratchet_anew(run, expected, arena, &judging.anew, &report, err));
  judging.base_document = pawl_baseline_to_json(&expected->baseline);
  judging.anew_document = pawl_baseline_to_json(&judging.anew);
  enum pawl_status_code status = PAWL_OK;
  for (int i = 0; status == PAWL_OK && i < count; i++)
    status = judge_file(&judging, files[i], arena);
  json_decref(judging.base_document);
  json_decref(judging.anew_document);
  return status;
}
