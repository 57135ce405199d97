/* SPDX-License-Identifier: Apache-2.0 */
#include "import/feed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/count.h"
#include "base/hash.h"
#include "model/fields.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define MS_OF_A_SECOND 1e3
#define MOST_TIMES 1000000  /* a benchmark has no more */
#define SHORTEST_TIME 1e-12 /* in seconds: no clock shows less, and a shorter one is kept as 0 */
#define LONGEST_TIME 1e9    /* in seconds: 30 years */
#define REASON_BYTES 300    /* a reason has no more */
#define MOST_REASONS 5      /* for each outcome, in the line that ends an import */
#define NO_NAME "-"

const struct pawl_feed_outcome pawl_feed_outcomes[PAWL_FEED_OUTCOMES] = {
    {PAWL_OUTCOME_OK, "read"},
    {PAWL_OUTCOME_CRASHED, "failed"},
    {PAWL_OUTCOME_NO_TIMES, "without a time"},
    {PAWL_OUTCOME_UNSUPPORTED, "skipped"},
};

/* --- runs --- */

void pawl_feed_start(struct pawl_feed *feed, struct pawl_json_span span) {
  pawl_arena_clear(&feed->arena);
  feed->run = *feed->defaults;
  feed->run.source = feed->format;
  feed->span = span;
  feed->run_number = 0;
}

static const char *hash_id(struct pawl_feed *feed, const char *part,
                           const struct pawl_json_text *text, struct pawl_json_span span,
                           const char *commit) {
  char id[PAWL_HASH_TEXT];
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, part);
  pawl_json_span_hash(text, span, &hasher);
  if (commit) pawl_hasher_add_string(&hasher, commit);
  pawl_hash_format(pawl_hasher_finish(&hasher), id);
  return pawl_arena_copy(&feed->arena, id);
}

const char *pawl_feed_id(struct pawl_feed *feed, const char *commit) {
  const char *id = hash_id(feed, feed->format, &feed->text, feed->span, commit);
  if (!feed->run_number) return id;
  const struct pawl_json_text number = {.text = (const char *)&feed->run_number,
                                        .length = sizeof feed->run_number};
  return hash_id(feed, id, &number, (struct pawl_json_span){0, number.length}, NULL);
}

const char *pawl_feed_given_commit(const struct pawl_feed *feed) {
  return feed->run.commit == feed->defaults->commit ? feed->defaults->commit : NULL;
}

static const char *clean(struct pawl_arena *arena, const char *text, size_t most) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  if (!text) return NULL;
  pawl_clean_text(text, false, &cleaned);
  if (cleaned.length > most) {
    cleaned.length = most;
    while ((cleaned.data[cleaned.length] & 0xc0) == 0x80) cleaned.length--;
    cleaned.data[cleaned.length] = '\0';
  }
  return pawl_arena_copy(arena, pawl_text_string(&cleaned));
}

pawl_status pawl_feed_run(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_history_run *run = &feed->run;
  const char **const texts[] = {&run->subject, &run->branch, &run->hardware, &run->hardware_name};
  feed->runs++;
  if (feed->sink.benchmark) return PAWL_OK;
  pawl_names_empty(&feed->names);
  for (size_t i = 0; i < PAWL_COUNT(texts); i++)
    *texts[i] = clean(&feed->arena, *texts[i], PAWL_HISTORY_NAME_BYTES);
  run->id = pawl_feed_id(feed, pawl_feed_given_commit(feed));
  return feed->sink.run(feed->sink.context, run, err);
}

pawl_status pawl_feed_start_list(struct pawl_feed *feed, const char *member,
                                 struct pawl_json_span *whole, struct pawl_json_span *list,
                                 struct pawl_error *err) {
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, whole, err));
  PAWL_TRY(pawl_json_span_member(&feed->text, *whole, member, list, err));
  if (!pawl_json_span_is_array(&feed->text, *list))
    return pawl_json_span_fail(&feed->text, whole->begin, err, "no list '%s'", member);
  pawl_feed_start(feed, *whole);
  return PAWL_OK;
}

/* --- the judgement of a point --- */

/* A point as it is judged. */
struct feed_judged {
  enum pawl_outcome outcome;
  const char *reason;
  const char *unit; /* NULL: a time, in seconds */
  double value;     /* the median of several times */
  bool bigger_is_better;
};

static void feed_refuse(struct feed_judged *out, const char *reason) {
  out->outcome = PAWL_OUTCOME_NO_TIMES;
  out->reason = reason;
}

/* Why a time is none; NULL: it is one. */
static const char *doubt(double seconds, struct pawl_arena *arena) {
  if (seconds >= SHORTEST_TIME && seconds <= LONGEST_TIME) return NULL;
  return isnan(seconds)       ? "it is no number"
         : !isfinite(seconds) ? "it is infinite"
         : seconds < 0        ? "it is negative"
         : seconds > LONGEST_TIME
             ? pawl_arena_printf(arena, "it is %.3g s, and no call takes 30 years", seconds)
             : pawl_arena_printf(arena, "it is %.3g s, and no clock shows less than a picosecond",
                                 seconds);
}

static void judge_times(struct pawl_feed *feed, const struct pawl_times *times,
                        struct feed_judged *out) {
  double *sorted;
  struct pawl_error ignored;
  if (times->count > MOST_TIMES) {
    feed_refuse(out, pawl_arena_printf(&feed->point, "it has more than %d times", MOST_TIMES));
    return;
  }
  for (size_t i = 0; i < times->count; i++) {
    const char *why = doubt(times->seconds[i], &feed->point);
    if (!why) continue;
    feed_refuse(out, pawl_arena_printf(&feed->point, "time %zu of %zu is no time: %s", i + 1,
                                       times->count, why));
    return;
  }
  if (pawl_sorted_copy(times->seconds, times->count, &sorted, &ignored) != PAWL_OK) {
    feed_refuse(out, "its times cannot be sorted");
    return;
  }
  out->value = pawl_median(sorted, times->count);
  pawl_free(sorted);
}

/* The tool's own word counts first, then the unit, then the command line. */
static void find_direction(struct pawl_feed *feed, const struct pawl_feed_point *point,
                           const struct pawl_import_unit *unit, struct feed_judged *out) {
  enum pawl_better better = point->better;
  if (!better) better = unit->better;
  if (!better) better = feed->better;
  if (!better && !feed->noted_unit && !feed->sink.benchmark) {
    pawl_feed_note(feed,
                   "nothing says whether a small or a large '%s' is better ('%s'): pawl takes a "
                   "small one; --better bigger changes that",
                   unit->name, clean(&feed->point, point->kernel ? point->kernel : NO_NAME, 100));
    feed->noted_unit = true;
  }
  out->bigger_is_better = better == PAWL_BETTER_BIGGER;
}

static void judge_value(struct pawl_feed *feed, const struct pawl_feed_point *point,
                        struct feed_judged *out) {
  const struct pawl_import_unit unit =
      pawl_unit_read(point->unit ? point->unit : "s", &feed->point);
  find_direction(feed, point, &unit, out);
  const bool is_time = unit.seconds > 0 && !unit.is_rate && !out->bigger_is_better;
  const double value = is_time ? point->value * unit.seconds : point->value;
  const char *why = is_time                  ? doubt(value, &feed->point)
                    : isfinite(point->value) ? NULL
                                             : "it is no number";
  if (why)
    feed_refuse(out,
                pawl_arena_printf(&feed->point, "its %s is no %s: %s", is_time ? "time" : "value",
                                  is_time ? "time" : "figure", why));
  out->value = value;
  if (!is_time) out->unit = clean(&feed->point, unit.name, PAWL_FIELD_NAME_BYTES);
}

static struct feed_judged judge(struct pawl_feed *feed, const struct pawl_feed_point *point) {
  struct feed_judged out = {.outcome = PAWL_OUTCOME_OK, .value = NAN};
  if (point->failure) {
    out.outcome = PAWL_OUTCOME_CRASHED;
    out.reason = clean(&feed->point, point->failure, REASON_BYTES);
  } else if (point->skipped) {
    out.outcome = PAWL_OUTCOME_UNSUPPORTED;
    out.reason = clean(&feed->point, point->skipped, REASON_BYTES);
  } else if (point->fault) {
    feed_refuse(&out, clean(&feed->point, point->fault, REASON_BYTES));
  } else if (point->times.count) {
    judge_times(feed, &point->times, &out);
  } else {
    judge_value(feed, point, &out);
  }
  const char *why = out.outcome == PAWL_OUTCOME_OK && !out.unit
                        ? pawl_feed_contradiction(point, &feed->point)
                        : NULL;
  if (why) feed_refuse(&out, why);
  return out;
}

/* --- names --- */

static void note_names(struct pawl_feed *feed, const char *name) {
  if (feed->noted_names) return;
  pawl_feed_note(feed,
                 "more than one benchmark has the name '%.100s': pawl numbers them in the order of "
                 "the file, '%.100s #2'; give each a name of its own",
                 name, name);
  feed->noted_names = true;
}

/* Makes the last of `parts` differ from all names before. `shown` is for the note. */
static const char *number_name(struct pawl_feed *feed, const char **parts, size_t count,
                               const char *shown) {
  const char *last = parts[count - 1], *base = strcmp(last, NO_NAME) != 0 ? last : NULL;
  size_t number = pawl_names_take(&feed->names, parts, count);
  if (number > 1) note_names(feed, shown);
  while (number > 1) {
    parts[count - 1] =
        pawl_arena_printf(&feed->point, "%s%s#%zu", base ? base : "", base ? " " : "", number);
    if (pawl_names_take(&feed->names, parts, count) == 1) break;
    parts[count - 1] = last;
    number = pawl_names_take(&feed->names, parts, count);
  }
  return parts[count - 1];
}

static const char *join_names(struct pawl_feed *feed, const char *kernel, const char *rest) {
  return kernel && *kernel && rest && *rest ? pawl_arena_printf(&feed->point, "%s/%s", kernel, rest)
         : kernel && *kernel                ? kernel
                                            : rest;
}

/* --- points --- */

/* The samples as the row of a result, of which the history keeps any key. */
static json_t *make_result(const struct pawl_history_point *point, const struct pawl_times *times) {
  json_t *row = json_object(), *performance = json_object(), *samples = json_array();
  for (size_t i = 0; i < times->count; i++)
    json_array_append_new(samples, json_real(times->seconds[i] * MS_OF_A_SECOND));
  pawl_json_set_string(row, "kernel_name", point->kernel_name);
  pawl_json_set_string(row, "case", point->case_name);
  pawl_json_set_number(performance, "median_ms", point->value);
  pawl_json_set(performance, "samples_ms", samples);
  pawl_json_set(row, "performance", performance);
  return row;
}

static pawl_status add_to_history(struct pawl_feed *feed, const struct pawl_feed_point *point,
                                  const struct feed_judged *judged, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_arena *arena = &feed->point;
  struct pawl_history_point made;
  pawl_history_point_init(&made);
  made.kernel_name = pawl_name_make(point->kernel, NO_NAME, PAWL_HISTORY_NAME_BYTES, arena);
  made.unit = judged->unit ? judged->unit : "ms";
  const char *parts[] = {
      made.kernel_name, made.unit,
      pawl_name_make(point->case_name, NO_NAME, PAWL_HISTORY_NAME_BYTES - 32, arena)};
  made.case_name = number_name(feed, parts, PAWL_COUNT(parts), made.kernel_name);
  made.bigger_is_better = judged->bigger_is_better;
  made.outcome = judged->outcome;
  made.reason = judged->reason;
  if (judged->outcome == PAWL_OUTCOME_OK) {
    made.value = judged->unit ? judged->value : judged->value * MS_OF_A_SECOND;
    if (point->times.count) made.samples = (long long)point->times.count;
    if (point->times.count > 1) made.result = result = make_result(&made, &point->times);
  }
  return feed->sink.point(feed->sink.context, &made, err);
}

static pawl_status add_to_rows(struct pawl_feed *feed, const struct pawl_feed_point *point,
                               const struct feed_judged *judged, struct pawl_error *err) {
  struct pawl_benchmark made = {.outcome = judged->outcome, .reason = judged->reason};
  const char *name = point->name ? point->name : join_names(feed, point->kernel, point->case_name);
  const char *parts[] = {pawl_name_make(name, NO_NAME, PAWL_FIELD_NAME_BYTES - 16, &feed->point)};
  made.name = number_name(feed, parts, 1, parts[0]);
  if (!name && !strcmp(made.name, NO_NAME)) made.name = NULL;
  double value = judged->value;
  if (judged->outcome == PAWL_OUTCOME_OK) {
    made.seconds = point->times.count ? point->times.seconds : &value;
    made.count = point->times.count ? point->times.count : 1;
  }
  return feed->sink.benchmark(feed->sink.context, &made, err);
}

static void count_point(struct pawl_feed *feed, const char *raw, enum pawl_outcome outcome,
                        const char *reason) {
  size_t i = 0;
  while (i + 1 < PAWL_FEED_OUTCOMES && pawl_feed_outcomes[i].outcome != outcome) i++;
  if (feed->counts[i]++ >= MOST_REASONS || !reason) return;
  const char *name = pawl_name_make(raw, NO_NAME, PAWL_FIELD_NAME_BYTES, &feed->point);
  pawl_text_printf(&feed->reasons[i], "%s'%.100s': %s", feed->counts[i] > 1 ? "; " : "", name,
                   reason);
}

pawl_status pawl_feed_add(struct pawl_feed *feed, const struct pawl_feed_point *point,
                          struct pawl_error *err) {
  const struct feed_judged judged = judge(feed, point);
  const char *name = point->name ? point->name : join_names(feed, point->kernel, point->case_name);
  count_point(feed, name, judged.outcome, judged.reason);
  enum pawl_status_code status = PAWL_OK;
  if (feed->sink.benchmark)
    status = add_to_rows(feed, point, &judged, err);
  else if (judged.outcome != PAWL_OUTCOME_UNSUPPORTED) /* the import names what was skipped */
    status = add_to_history(feed, point, &judged, err);
  pawl_arena_clear(&feed->point);
  return status;
}

pawl_status pawl_feed_add_own(struct pawl_feed *feed, const struct pawl_history_point *point,
                              struct pawl_error *err) {
  const bool fails = pawl_outcome_fails(point->outcome) && point->outcome != PAWL_OUTCOME_NO_TIMES;
  count_point(feed, join_names(feed, point->kernel_name, point->case_name),
              fails ? PAWL_OUTCOME_CRASHED : point->outcome, point->reason);
  pawl_arena_clear(&feed->point);
  return feed->sink.point(feed->sink.context, point, err);
}

/* --- the line that ends an import --- */

void pawl_feed_note(struct pawl_feed *feed, const char *format, ...) {
  char message[PAWL_ERROR_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  pawl_text_printf(&feed->notes, "%s%s: %s", feed->notes.length ? "\n" : "", feed->text.name,
                   message);
}

size_t pawl_feed_count(const struct pawl_feed *feed) {
  size_t all = 0;
  for (size_t i = 0; i < PAWL_FEED_OUTCOMES; i++) all += feed->counts[i];
  return all;
}

void pawl_feed_summary(const struct pawl_feed *feed, struct pawl_text *out) {
  const size_t all = pawl_feed_count(feed);
  pawl_text_printf(out, "%zu benchmark%s:", all, all == 1 ? "" : "s");
  for (size_t i = 0; i < PAWL_FEED_OUTCOMES; i++) {
    const size_t count = feed->counts[i];
    if (i && !count) continue;
    pawl_text_printf(out, "%s %zu %s", i ? "," : "", count, pawl_feed_outcomes[i].word);
    if (!feed->reasons[i].length) continue;
    pawl_text_printf(out, " (%s", feed->reasons[i].data);
    if (count > MOST_REASONS) pawl_text_printf(out, "; and %zu more", count - MOST_REASONS);
    pawl_text_add(out, ")");
  }
}

void pawl_feed_release(struct pawl_feed *feed) {
  pawl_arena_clear(&feed->arena);
  pawl_arena_clear(&feed->point);
  pawl_names_clear(&feed->names);
  pawl_text_clear(&feed->notes);
  for (size_t i = 0; i < PAWL_FEED_OUTCOMES; i++) pawl_text_clear(&feed->reasons[i]);
}
