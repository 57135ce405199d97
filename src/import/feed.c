/* SPDX-License-Identifier: Apache-2.0 */
#include "import/feed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/count.h"
#include "base/hash.h"
#include "import/unit.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define MS_OF_A_SECOND 1e3

/* --- runs --- */

static const char *make_id(struct pawl_feed *feed, const void *bytes, size_t length,
                           const char *part) {
  char id[PAWL_HASH_TEXT];
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  pawl_hasher_add_string(&hasher, part);
  pawl_hasher_add(&hasher, bytes, length);
  pawl_hash_format(pawl_hasher_finish(&hasher), id);
  return pawl_arena_copy(&feed->arena, id);
}

const char *pawl_feed_other_id(struct pawl_feed *feed, size_t number) {
  return make_id(feed, &number, sizeof number, feed->run.id);
}

void pawl_feed_start(struct pawl_feed *feed, struct pawl_json_span span) {
  pawl_arena_clear(&feed->arena);
  feed->run = *feed->defaults;
  feed->run.id = make_id(feed, feed->text.text + span.begin, span.end - span.begin, feed->format);
  feed->run.source = feed->format;
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

static const char *clean(struct pawl_arena *arena, const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cleaned = {0};
  if (!text) return NULL;
  pawl_clean_text(text, false, &cleaned);
  return pawl_arena_copy(arena, pawl_text_string(&cleaned));
}

pawl_status pawl_feed_run(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_history_run *run = &feed->run;
  const char **const texts[] = {&run->subject, &run->branch, &run->hardware, &run->hardware_name};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++) *texts[i] = clean(&feed->arena, *texts[i]);
  return feed->sink.run(feed->sink.context, run, err);
}

/* --- points --- */

static pawl_status take_name(struct pawl_feed *feed, const struct pawl_feed_point *point,
                             const char *name, const char *what, const char **out,
                             struct pawl_error *err) {
  const char *cleaned = clean(&feed->point, name && *name ? name : "-");
  if (strlen(cleaned) > PAWL_HISTORY_NAME_BYTES)
    return pawl_json_span_fail(&feed->text, point->position, err,
                               "the name of a %s is longer than %d bytes", what,
                               PAWL_HISTORY_NAME_BYTES);
  *out = *cleaned ? cleaned : "-";
  return PAWL_OK;
}

/* The samples as the row of a result, of which the history keeps any key. */
static json_t *make_result(const struct pawl_history_point *point, const double *seconds,
                           size_t count) {
  json_t *row = json_object(), *performance = json_object(), *samples = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(samples, json_real(seconds[i] * MS_OF_A_SECOND));
  pawl_json_set_string(row, "kernel_name", point->kernel_name);
  pawl_json_set_string(row, "case", point->case_name);
  pawl_json_set_number(performance, "median_ms", point->value);
  pawl_json_set(performance, "samples_ms", samples);
  pawl_json_set(row, "performance", performance);
  return row;
}

static pawl_status take_samples(struct pawl_feed *feed, const struct pawl_feed_point *point,
                                struct pawl_history_point *out, struct pawl_error *err) {
  double *sorted;
  for (size_t i = 0; i < point->count; i++)
    if (!isfinite(point->seconds[i]) || !(point->seconds[i] > 0))
      return pawl_json_span_fail(&feed->text, point->position, err,
                                 "time %zu of '%.100s' is no number above 0", i, out->kernel_name);
  PAWL_TRY(pawl_sorted_copy(point->seconds, point->count, &sorted, err));
  out->value = pawl_median(sorted, point->count) * MS_OF_A_SECOND;
  out->samples = (long long)point->count;
  pawl_free(sorted);
  return PAWL_OK;
}

static pawl_status take_value(struct pawl_feed *feed, const struct pawl_feed_point *point,
                              struct pawl_history_point *out, struct pawl_error *err) {
  const double seconds = point->bigger_is_better ? 0
                         : point->unit           ? pawl_unit_seconds(point->unit)
                                                 : 1;
  if (!isfinite(point->value) || (seconds > 0 && !(point->value > 0)))
    return pawl_json_span_fail(&feed->text, point->position, err, "the value of '%.100s' is no %s",
                               out->kernel_name, seconds > 0 ? "time above 0" : "number");
  out->value = seconds > 0 ? point->value * (seconds * MS_OF_A_SECOND) : point->value;
  if (!(seconds > 0)) out->unit = clean(&feed->point, point->unit);
  if (strlen(out->unit) > PAWL_FIELD_NAME_BYTES)
    return pawl_json_span_fail(&feed->text, point->position, err, "a unit is longer than %d bytes",
                               PAWL_FIELD_NAME_BYTES);
  return PAWL_OK;
}

pawl_status pawl_feed_add(struct pawl_feed *feed, const struct pawl_feed_point *point,
                          struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_history_point made;
  pawl_history_point_init(&made);
  PAWL_TRY(take_name(feed, point, point->kernel, "benchmark", &made.kernel_name, err));
  PAWL_TRY(take_name(feed, point, point->case_name, "case", &made.case_name, err));
  made.unit = "ms";
  made.bigger_is_better = point->bigger_is_better;
  if (point->failure) {
    made.outcome = PAWL_OUTCOME_CRASHED;
    made.reason = clean(&feed->point, point->failure);
  } else if (point->count) {
    PAWL_TRY(take_samples(feed, point, &made, err));
    if (point->count > 1) made.result = result = make_result(&made, point->seconds, point->count);
  } else {
    PAWL_TRY(take_value(feed, point, &made, err));
  }
  PAWL_TRY(feed->sink.point(feed->sink.context, &made, err));
  pawl_arena_clear(&feed->point);
  return PAWL_OK;
}

/* --- values --- */

const char *pawl_feed_text(struct pawl_arena *arena, const json_t *object, const char *key) {
  return pawl_arena_copy(arena, json_string_value(json_object_get(object, key)));
}

long long pawl_feed_time(const char *text) {
  struct tm tm = {0};
  int read = 0, hours = 0, minutes = 0;
  char sign[2] = "+";
  if (!text ||
      sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
             &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &read) < 6 ||
      !read)
    return -1;
  text += read;
  if (*text == '.') text += 1 + strspn(text + 1, "0123456789");
  if (*text && *text != 'Z' && sscanf(text, "%1[+-]%2d:%2d", sign, &hours, &minutes) < 2) return -1;
  tm.tm_year -= 1900;
  tm.tm_mon--;
  const long long zone = (hours * 60LL + minutes) * 60,
                  when = (long long)timegm(&tm) - (*sign == '-' ? -zone : zone);
  return when < 0 ? -1 : when;
}

void pawl_feed_commit(struct pawl_feed *feed, const char *text) {
  if (text && pawl_is_commit_id(text)) feed->run.commit = pawl_arena_copy(&feed->arena, text);
}

const char *pawl_feed_pairs(struct pawl_arena *arena, const json_t *object) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text pairs = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    pawl_text_printf(&pairs, "%s%s=%s", pairs.length ? "," : "", key,
                     text ? text : json_string_value(value));
    free(text);
  }
  return pairs.length ? pawl_arena_copy(arena, pairs.data) : NULL;
}
