/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bench_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/count.h"
#include "gate/result_interval.h"
#include "report/figures.h"
#include "report/terminal_table.h"
#include "report/warning_group.h"

static const struct pawl_terminal_column columns[] = {
    {"case", false, 0},   {"kernel", false, 0},      {"median", true, 0},
    {"95 % CI", true, 0}, {"CV", true, 1},           {"GFLOP/s", true, 2},
    {"GB/s", true, 3},    {"of the limit", true, 4}, {"GPU", true, 5},
};
#define COLUMNS PAWL_COUNT(columns)

static bool bench_table_is_timed(const struct pawl_result *result) {
  return result->outcome == PAWL_OUTCOME_OK && isfinite(result->performance.median_ms);
}

static const char *case_of(const struct pawl_result *result) {
  return result->config.name ? result->config.name : "-";
}

/* --- order --- */

struct bench_place {
  const struct pawl_result *result;
  size_t group; /* the first row of its case */
};

static int bench_table_by_place(const void *a, const void *b) {
  const struct bench_place *x = a, *y = b;
  const bool timed = bench_table_is_timed(x->result);
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (timed != bench_table_is_timed(y->result)) return timed ? -1 : 1;
  const double left = x->result->performance.median_ms, right = y->result->performance.median_ms;
  if (timed && left != right) return left < right ? -1 : 1;
  return (x->result > y->result) - (x->result < y->result);
}

/* Lists the places of rows: cases in the order of the file, and in each case the fastest first.
   Allocated. */
static struct bench_place *sort(const struct pawl_results *results) {
  struct bench_place *places = pawl_alloc(results->count + 1, sizeof *places);
  for (size_t i = 0; i < results->count; i++) {
    size_t first = 0;
    while (strcmp(case_of(&results->items[first]), case_of(&results->items[i])) != 0) first++;
    places[i] = (struct bench_place){&results->items[i], first};
  }
  qsort(places, results->count, sizeof *places, bench_table_by_place);
  return places;
}

/* --- the table --- */

/* Returns the number of the GPU that measured a row, or "" if there is none or it is unknown. */
static const char *gpu_of(const struct pawl_result *result, char out[PAWL_FIGURE]) {
  const json_t *device = json_object_get(result->environment, "device");
  const json_t *index =
      result->device && !strcmp(result->device, "cuda") ? json_object_get(device, "index") : NULL;
  *out = '\0';
  if (json_is_integer(index))
    snprintf(out, PAWL_FIGURE, "%lld", (long long)json_integer_value(index));
  return out;
}

static bool several_gpus(const struct pawl_results *results) {
  char first[PAWL_FIGURE] = "", other[PAWL_FIGURE];
  for (size_t i = 0; i < results->count; i++) {
    const char *gpu = gpu_of(&results->items[i], other);
    if (*first && *gpu && strcmp(first, gpu) != 0) return true;
    if (!*first) gpu_of(&results->items[i], first);
  }
  return false;
}

static const char *known(double value, int decimals, char out[PAWL_FIGURE]) {
  if (isfinite(value)) snprintf(out, PAWL_FIGURE, "%.*f", decimals, value);
  return isfinite(value) ? out : "-";
}

static void bench_table_add_row(struct pawl_terminal_table *table, const struct bench_place *place,
                                bool first, bool gpus) {
  const struct pawl_result *result = place->result;
  const struct pawl_performance *p = &result->performance;
  const bool timed = bench_table_is_timed(result);
  char text[PAWL_FIGURE];
  double low, high;
  pawl_result_interval(result, &low, &high);
  pawl_terminal_row_begin(table,
                          pawl_outcome_fails(result->outcome) ? PAWL_COLOR_BAD : PAWL_COLOR_PLAIN);
  pawl_terminal_cell(table, first ? case_of(result) : "");
  pawl_terminal_cell(table, result->kernel_name);
  pawl_terminal_cell(
      table, timed ? pawl_figure_time(p->median_ms, text) : pawl_outcome_name(result->outcome));
  pawl_terminal_cell(table, timed ? pawl_figure_interval(p->median_ms, low, high, text) : "");
  pawl_terminal_cell(table, timed ? pawl_figure_percent(p->cv * 100, text) : "");
  pawl_terminal_cell(table, timed ? known(p->throughput_gflops, 1, text) : "");
  pawl_terminal_cell(table, timed ? known(p->bandwidth_gb_s, 2, text) : "");
  pawl_terminal_cell(table, timed ? pawl_figure_limit(&result->roofline, text) : "");
  pawl_terminal_cell(table, gpus ? gpu_of(result, text) : "");
}

/* --- how many times faster --- */

struct pawl_ratio pawl_result_ratio(const struct pawl_result *a, const struct pawl_result *b) {
  double a_low, a_high, b_low, b_high;
  pawl_result_interval(a, &a_low, &a_high);
  pawl_result_interval(b, &b_low, &b_high);
  const double x = a->performance.median_ms, y = b->performance.median_ms;
  const double dx = (a_high - a_low) / 2 / x, dy = (b_high - b_low) / 2 / y;
  return (struct pawl_ratio){y / x, y / x * sqrt(dx * dx + dy * dy)};
}

static void add_ratio(const struct pawl_result *fast, const struct pawl_result *slow,
                      struct pawl_text *out) {
  const struct pawl_ratio ratio = pawl_result_ratio(fast, slow);
  const bool known =
      !(ratio.times - ratio.half_width <= 1); /* NaN: there is no interval, only a ratio */
  if (known) pawl_text_printf(out, "  %.2f", ratio.times);
  if (known && isfinite(ratio.half_width)) pawl_text_printf(out, " +- %.2f", ratio.half_width);
  pawl_text_add(out, known ? " times faster than " : "  not known to be faster than ");
  pawl_clean_text(slow->kernel_name, false, out);
  if (!known && ratio.half_width < ratio.times)
    pawl_text_printf(out, ": %.2f +- %.2f times", ratio.times, ratio.half_width);
  else if (!known) /* the interval of this ratio would extend below 0 */
    pawl_text_add(out, ": the intervals are too wide for a ratio");
  pawl_text_add(out, "\n");
}

/* Compares the fastest kernel of a case with each other kernel. The fastest is first in
   `places`. */
static void add_ratios(const struct bench_place *places, size_t count, struct pawl_text *out) {
  size_t timed = 0;
  while (timed < count && bench_table_is_timed(places[timed].result)) timed++;
  if (timed < 2) return;
  pawl_text_add(out, "\n");
  pawl_clean_text(case_of(places[0].result), false, out);
  pawl_text_add(out, ": ");
  pawl_clean_text(places[0].result->kernel_name, false, out);
  pawl_text_add(out, " is\n");
  for (size_t i = 1; i < timed; i++) add_ratio(places[0].result, places[i].result, out);
}

/* --- notes --- */

/* Writes the words that `rows` rows share. */
static void bench_table_add_words(const char *kind, const struct pawl_result *result, size_t rows,
                                  const char *words, struct pawl_text *out) {
  pawl_text_printf(out, "%s: ", kind);
  pawl_clean_text(result->kernel_name, false, out);
  pawl_text_add(out, " on ");
  pawl_clean_text(case_of(result), false, out);
  pawl_text_add(out, ": ");
  pawl_clean_text(words, false, out);
  if (rows > 1) pawl_text_printf(out, " (%zu more like it)", rows - 1);
  pawl_text_add(out, "\n");
}

/* Returns the number of rows that this row stands for, because a kernel that does not build fails
   on every case for one reason. Returns 0 if an earlier row stands for it. */
static size_t failed_rows(const struct bench_place *places, size_t count, size_t at) {
  const struct pawl_result *result = places[at].result;
  size_t rows = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_result *other = places[i].result;
    if (bench_table_is_timed(other) || !other->reason || other->outcome != result->outcome)
      continue;
    if (strcmp(other->kernel_name, result->kernel_name) != 0 ||
        strcmp(other->reason, result->reason) != 0)
      continue;
    if (i < at) return 0;
    rows++;
  }
  return rows;
}

static void add_reasons(const struct pawl_results *results, const struct bench_place *places,
                        struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text lines = {0};
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = places[i].result;
    const size_t failed = bench_table_is_timed(result) || !result->reason
                              ? 0
                              : failed_rows(places, results->count, i);
    if (failed)
      bench_table_add_words(pawl_outcome_name(result->outcome), result, failed, result->reason,
                            &lines);
    for (size_t j = 0; j < result->warning_count; j++) {
      const size_t rows = pawl_warning_rows(results, (size_t)(result - results->items), j);
      if (rows) bench_table_add_words("warning", result, rows, result->warnings[j], &lines);
    }
  }
  if (lines.length) pawl_text_printf(out, "\n%s", lines.data);
}

void pawl_report_bench(const struct pawl_results *results, const struct pawl_terminal_style *look,
                       struct pawl_text *out) {
  PAWL_CLEANUP(pawl_free_pointer) struct bench_place *places = sort(results);
  PAWL_CLEANUP(pawl_terminal_table_release)
  struct pawl_terminal_table table = {.columns = columns, .column_count = COLUMNS};
  const bool gpus = several_gpus(results);
  for (size_t i = 0; i < results->count; i++)
    bench_table_add_row(&table, &places[i], i == 0 || places[i].group != places[i - 1].group, gpus);
  if (results->count) pawl_terminal_table_write(&table, look, out);
  for (size_t first = 0, end; first < results->count; first = end) {
    for (end = first + 1; end < results->count && places[end].group == places[first].group;) end++;
    add_ratios(places + first, end - first, out);
  }
  add_reasons(results, places, out);
}
