/* SPDX-License-Identifier: Apache-2.0 */
#include "store/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "store/series_summary.h"
#include "store/store_handle.h"

#define FALSE_ANSWERS 0.05 /* for all rows together */

/* --- the values of a side --- */

/* One run, or a level. */
struct side_value {
  int64_t series;
  double value, low, high;
  int64_t runs;
  const char *commit, *anchor; /* anchor: the commit that a paired verdict measured beside it */
  double change_pct, change_low_pct, change_high_pct;
};

struct side_values {
  struct pawl_arena *arena;
  struct side_value *items;
  size_t count, capacity;
};

static struct side_value *add_value(struct side_values *values) {
  values->items = pawl_grow(values->items, values->count, &values->capacity, sizeof *values->items);
  return &values->items[values->count++];
}

static enum pawl_status_code take_value(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  struct side_values *values = context;
  (void)count, (void)err;
  *add_value(values) =
      (struct side_value){.series = pawl_sql_get_integer(&columns[0], 0),
                          .value = pawl_sql_get_real(&columns[1]),
                          .low = pawl_sql_get_real(&columns[2]),
                          .high = pawl_sql_get_real(&columns[3]),
                          .runs = 1,
                          .commit = pawl_arena_copy(values->arena, pawl_sql_get_text(&columns[4])),
                          .anchor = pawl_arena_copy(values->arena, pawl_sql_get_text(&columns[5])),
                          .change_pct = pawl_sql_get_real(&columns[6]),
                          .change_low_pct = pawl_sql_get_real(&columns[7]),
                          .change_high_pct = pawl_sql_get_real(&columns[8])};
  return PAWL_OK;
}

#define VALUE_COLUMNS                                                             \
  "SELECT p.series, p.value, p.low, p.high, r.commit_id, p.anchor, p.change_pct," \
  " p.change_low_pct, p.change_high_pct FROM pawl_points p JOIN pawl_runs r ON r.id = p.run"
#define VALUE_ORDER " AND p.dirty = 0 AND p.value > 0 ORDER BY p.series, p.time, p.id"

/* The runs of the newest commit of each series on a branch. */
#define NEWEST_OF_BRANCH                                                              \
  VALUE_COLUMNS                                                                       \
  " JOIN (SELECT series, max(place) AS place FROM pawl_points WHERE dirty = 0 AND"    \
  " value > 0 AND (branch = $1 OR (branch IS NULL AND $2 = 1)) GROUP BY series) AS n" \
  " ON n.series = p.series AND n.place = p.place"                                     \
  " WHERE (p.branch = $1 OR (p.branch IS NULL AND $2 = 1))" VALUE_ORDER

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* Returns whether a machine has the name, which several machines may share, or the identity. */
static bool is_of_machine(const struct pawl_series *series, const char *machine) {
  return same_text(series->hardware_name, machine) || same_text(series->hardware, machine);
}

/* A machine's value of a series is its level, whose commits are its runs. */
static pawl_status read_levels(struct pawl_store *store, const char *machine,
                               const struct pawl_series *series, size_t count,
                               struct side_values *out, struct pawl_error *err) {
  for (size_t i = 0; i < count; i++) {
    struct pawl_series_summary summary;
    if (!is_of_machine(&series[i], machine)) continue;
    PAWL_TRY(pawl_series_summary_read(store, &series[i], NULL, out->arena, &summary, err));
    if (!summary.commits) continue;
    const size_t changes = summary.change_count;
    *add_value(out) =
        (struct side_value){.series = series[i].id,
                            .value = summary.searched ? summary.level : summary.latest,
                            .low = NAN,
                            .high = NAN,
                            .runs = !summary.searched ? 1
                                    : changes         ? summary.changes[changes - 1].commits
                                                      : summary.searched};
  }
  return PAWL_OK;
}

static pawl_status read_side(struct pawl_store *store, const struct pawl_comparison_side *side,
                             const struct pawl_series *series, size_t count,
                             struct side_values *out, struct pawl_error *err) {
  const struct pawl_sql_value key = pawl_sql_text(side->key);
  const char *line;
  if (!strcmp(side->kind, "machine")) return read_levels(store, side->key, series, count, out, err);
  if (!strcmp(side->kind, "commit"))
    return pawl_sql_query(store->sql, VALUE_COLUMNS " WHERE r.commit_id = $1" VALUE_ORDER, &key, 1,
                          take_value, out, err);
  PAWL_TRY(pawl_store_line(store, out->arena, &line, err));
  return pawl_sql_query(store->sql, NEWEST_OF_BRANCH,
                        PAWL_SQL_PARAMETERS(key, pawl_sql_integer(!strcmp(side->key, line))),
                        take_value, out, err);
}

static int compare_doubles(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* The values of one series. */
struct value_group {
  const struct side_value *first;
  size_t count;
  double value;
  int64_t runs;
};

static int compare_series(const void *key, const void *item) {
  const int64_t wanted = *(const int64_t *)key, found = ((const struct side_value *)item)->series;
  return (wanted > found) - (wanted < found);
}

static int compare_values(const void *a, const void *b) {
  return compare_series(&((const struct side_value *)a)->series, b);
}

/* *out has no runs if the side has no value of the series. */
static void find_group(const struct side_values *values, int64_t series, struct pawl_arena *arena,
                       struct value_group *out) {
  *out = (struct value_group){0};
  const struct side_value *found = values->count ? bsearch(&series, values->items, values->count,
                                                           sizeof *values->items, compare_series)
                                                 : NULL;
  if (!found) return;
  const struct side_value *end = values->items + values->count;
  while (found > values->items && found[-1].series == series) found--;
  while (found + out->count < end && found[out->count].series == series)
    out->runs += found[out->count++].runs;
  double *sorted = pawl_arena_alloc(arena, out->count, sizeof *sorted);
  for (size_t i = 0; i < out->count; i++) sorted[i] = found[i].value;
  qsort(sorted, out->count, sizeof *sorted, compare_doubles);
  out->first = found;
  out->value = pawl_median(sorted, out->count);
}

/* --- the evidence --- */

#define NORMAL_95 1.959963984540054 /* two-sided */

/* Returns how many standard errors a normal value exceeds, on either side, with this chance. */
static double normal_limit(double chance) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    if (erfc(middle / sqrt(2)) > chance)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static double loss_of(double log_ratio) { return (exp(log_ratio) - 1) * 100; }
static double log_of(double loss_pct) { return log1p(loss_pct / 100); }

/* Sets the row to a verdict that measured the two commits side by side, and returns true. Its
 * change is the time of `from`, positive if faster. */
static bool set_paired(const struct value_group *from, const struct value_group *to, bool swapped,
                       struct pawl_comparison_row *row) {
  for (size_t i = to->count; i > 0; i--) {
    const struct side_value *value = &to->first[i - 1];
    if (!value->anchor || !from->first->commit || strcmp(value->anchor, from->first->commit) != 0 ||
        isnan(value->change_low_pct) || isnan(value->change_high_pct))
      continue;
    const double loss = log_of(-value->change_pct), low = log_of(-value->change_high_pct),
                 high = log_of(-value->change_low_pct);
    row->loss_pct = loss_of(swapped ? -loss : loss);
    row->low_pct = loss_of(swapped ? -high : low);
    row->high_pct = loss_of(swapped ? -low : high);
    row->evidence = "paired";
    return true;
  }
  return false;
}

/* Returns the variance of the logarithm of one side's median: that between commits of the series,
 * else the one inside of its single run. NaN: unknown. */
static double variance_of(const struct value_group *group, double noise_pct) {
  if (isfinite(noise_pct)) return pow(log1p(noise_pct / 100), 2) / (double)group->runs;
  const struct side_value *value = group->first;
  if (group->count != 1 || !(value->low > 0) || !(value->high >= value->low)) return NAN;
  return pow(log(value->high / value->low) / (2 * NORMAL_95), 2);
}

static pawl_status set_unpaired(struct pawl_store *store, const struct pawl_series *const series[2],
                                const struct value_group sides[2], struct pawl_arena *arena,
                                struct pawl_comparison_row *row, struct pawl_error *err) {
  double variance = 0;
  const double ratio = series[0]->bigger_is_better ? sides[0].value / sides[1].value
                                                   : sides[1].value / sides[0].value;
  row->loss_pct = (ratio - 1) * 100;
  row->evidence = "unpaired";
  for (int i = 0; i < 2; i++) {
    struct pawl_series_summary summary;
    PAWL_TRY(pawl_series_summary_read(store, series[i], NULL, arena, &summary, err));
    variance += variance_of(&sides[i], summary.noise_pct);
  }
  row->low_pct = loss_of(log(ratio) - NORMAL_95 * sqrt(variance));
  row->high_pct = loss_of(log(ratio) + NORMAL_95 * sqrt(variance));
  return PAWL_OK;
}

/* --- the table --- */

static pawl_status make_row(struct pawl_store *store, const struct pawl_series *const series[2],
                            const struct value_group sides[2], struct pawl_arena *arena,
                            struct pawl_comparison_row *row, struct pawl_error *err) {
  *row = (struct pawl_comparison_row){.series = series[0]->id,
                                      .other = series[1]->id,
                                      .kernel_name = series[0]->kernel_name,
                                      .case_name = series[0]->case_name,
                                      .shape = series[0]->shape,
                                      .hardware_name = series[0]->hardware_name,
                                      .unit = series[0]->unit,
                                      .bigger_is_better = series[0]->bigger_is_better,
                                      .a = sides[0].value,
                                      .b = sides[1].value,
                                      .a_runs = sides[0].runs,
                                      .b_runs = sides[1].runs,
                                      .a_commit = sides[0].first->commit,
                                      .b_commit = sides[1].first->commit};
  if (!set_paired(&sides[0], &sides[1], false, row) && !set_paired(&sides[1], &sides[0], true, row))
    PAWL_TRY(set_unpaired(store, series, sides, arena, row, err));
  return PAWL_OK;
}

/* Answers by limits that are wider with each row, so that the rows together err seldom. */
static void answer(struct pawl_comparison_table *table) {
  const double known = (double)(table->count - (size_t)table->unknown);
  const double limit = normal_limit(FALSE_ANSWERS / (known > 1 ? known : 1)) / NORMAL_95;
  for (size_t i = 0; i < table->count; i++) {
    struct pawl_comparison_row *row = &table->rows[i];
    const double loss = log_of(row->loss_pct), low = loss - limit * (loss - log_of(row->low_pct)),
                 high = loss + limit * (log_of(row->high_pct) - loss);
    row->answer = low > 0 ? "worse" : high < 0 ? "better" : "open";
  }
}

static int comparison_compare_rows(const void *a, const void *b) {
  const struct pawl_comparison_row *left = a, *right = b;
  if (left->loss_pct != right->loss_pct) return left->loss_pct < right->loss_pct ? 1 : -1;
  const int names = strcmp(left->kernel_name, right->kernel_name);
  return names ? names : strcmp(left->case_name, right->case_name);
}

static void summarise(struct pawl_comparison_table *table) {
  double mean = 0, low = 0, high = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct pawl_comparison_row *row = &table->rows[i];
    mean += log_of(row->loss_pct);
    low += log_of(row->low_pct);
    high += log_of(row->high_pct);
    table->paired += !strcmp(row->evidence, "paired");
    table->unknown += isnan(row->low_pct);
  }
  const double count = (double)table->count;
  table->mean_pct = loss_of(mean / count);
  table->mean_low_pct = loss_of(low / count);
  table->mean_high_pct = loss_of(high / count);
  answer(table);
  qsort(table->rows, table->count, sizeof *table->rows, comparison_compare_rows);
}

/* Returns whether a series of the machine has the same kernel, case, shape and unit as `one`. */
static bool is_other(const struct pawl_series *series, const struct pawl_series *one,
                     const char *machine) {
  return is_of_machine(series, machine) && same_text(series->kernel_name, one->kernel_name) &&
         same_text(series->case_name, one->case_name) && same_text(series->shape, one->shape) &&
         same_text(series->unit, one->unit);
}

struct comparison_reading {
  struct pawl_store *store;
  struct pawl_series *series;
  size_t count;
  struct side_values sides[2];
  const char *machine; /* the machine of side B; NULL: the same series on both sides */
};

static struct pawl_comparison_row *add_row(struct pawl_comparison_table *out, size_t *room,
                                           struct pawl_arena *arena) {
  if (out->count == *room) {
    *room = *room ? 2 * *room : 64;
    struct pawl_comparison_row *rows = pawl_arena_alloc(arena, *room, sizeof *rows);
    if (out->count) memcpy(rows, out->rows, out->count * sizeof *rows);
    out->rows = rows;
  }
  return &out->rows[out->count++];
}

/* A series has one row, or one for each machine that has the name of side B. */
static pawl_status make_rows(const struct comparison_reading *reading, struct pawl_arena *arena,
                             struct pawl_comparison_table *out, struct pawl_error *err) {
  const size_t others = reading->machine ? reading->count : 1;
  size_t room = 0;
  for (size_t i = 0; i < reading->count; i++) {
    const struct pawl_series *one = &reading->series[i];
    struct value_group sides[2] = {0};
    size_t found = 0;
    find_group(&reading->sides[0], one->id, arena, &sides[0]);
    for (size_t j = 0; j < others; j++) {
      const struct pawl_series *other = reading->machine ? &reading->series[j] : one;
      if (reading->machine && !is_other(other, one, reading->machine)) continue;
      find_group(&reading->sides[1], other->id, arena, &sides[1]);
      out->only_b += sides[1].runs && !sides[0].runs && !reading->machine;
      if (!sides[0].runs || !sides[1].runs) continue;
      const struct pawl_series *const series[2] = {one, other};
      PAWL_TRY(make_row(reading->store, series, sides, arena, add_row(out, &room, arena), err));
      found++;
    }
    out->only_a += sides[0].runs && !found;
    out->several |= found > 1;
  }
  return PAWL_OK;
}

static pawl_status compare_sides(struct comparison_reading *reading,
                                 const struct pawl_series_choice *choice, struct pawl_arena *arena,
                                 struct pawl_comparison_table *out, struct pawl_error *err) {
  const struct pawl_comparison_side *const sides[2] = {&out->a, &out->b};
  PAWL_TRY(
      pawl_store_series(reading->store, choice, arena, &reading->series, &reading->count, err));
  for (int i = 0; i < 2; i++) {
    struct side_values *values = &reading->sides[i];
    PAWL_TRY(read_side(reading->store, sides[i], reading->series, reading->count, values, err));
    /* levels come in the order of names */
    if (values->count && reading->machine)
      qsort(values->items, values->count, sizeof *values->items, compare_values);
  }
  PAWL_TRY(make_rows(reading, arena, out, err));
  if (!out->count)
    return pawl_fail(err, PAWL_NO_INPUT,
                     "no series has values of both '%s' and '%s'; %lld have one of the first "
                     "alone, %lld of the second",
                     out->a.name, out->b.name, (long long)out->only_a, (long long)out->only_b);
  summarise(out);
  return PAWL_OK;
}

pawl_status pawl_comparison_read(struct pawl_store *store, const struct pawl_comparison_side *a,
                                 const struct pawl_comparison_side *b,
                                 const struct pawl_series_choice *choice, struct pawl_arena *arena,
                                 struct pawl_comparison_table *out, struct pawl_error *err) {
  const bool machines = !strcmp(a->kind, "machine");
  struct pawl_comparison_table table = {.a = *a, .b = *b};
  if (machines != !strcmp(b->kind, "machine"))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is a %s and '%s' is a %s: compare two machines, or commits and branches",
                     a->name, a->kind, b->name, b->kind);
  struct comparison_reading reading = {.store = store,
                                       .sides = {{.arena = arena}, {.arena = arena}},
                                       .machine = machines ? b->key : NULL};
  const enum pawl_status_code status = compare_sides(&reading, choice, arena, &table, err);
  for (int i = 0; i < 2; i++) pawl_free(reading.sides[i].items);
  pawl_series_summary_keep(store);
  if (status == PAWL_OK) *out = table;
  return status;
}
