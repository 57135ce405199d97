/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the files: lists, members, times, dates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "import/feed.h"

struct feed_list {
  struct pawl_feed *feed;
  pawl_feed_take *take;
  void *context;
};

static enum pawl_status_code take_element(void *context, struct pawl_json_span key,
                                          struct pawl_json_span value, struct pawl_error *err) {
  const struct feed_list *list = context;
  PAWL_CLEANUP(pawl_json_release) json_t *item = NULL;
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&list->feed->text, value, &item, err));
  return list->take(list->context, list->feed, item, err);
}

pawl_status pawl_feed_each(struct pawl_feed *feed, struct pawl_json_span list, pawl_feed_take *take,
                           void *context, struct pawl_error *err) {
  struct feed_list all = {feed, take, context};
  return pawl_json_span_each(&feed->text, list, take_element, &all, err);
}

pawl_status pawl_feed_list(struct pawl_feed *feed, pawl_feed_take *take, struct pawl_error *err) {
  struct pawl_json_span whole;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  if (!pawl_json_span_is_array(&feed->text, whole))
    return pawl_json_span_fail(&feed->text, whole.begin, err, "not a list of results");
  pawl_feed_start(feed, whole);
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, whole, take, NULL, err);
}

pawl_status pawl_feed_members(struct pawl_feed *feed, struct pawl_json_span object,
                              const char *const *names, size_t count, json_t **out,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *members = json_object();
  for (size_t i = 0; i < count; i++) {
    struct pawl_json_span found;
    json_t *value;
    PAWL_TRY(pawl_json_span_member(&feed->text, object, names[i], &found, err));
    if (found.begin == found.end) continue;
    PAWL_TRY(pawl_json_span_parse(&feed->text, found, &value, err));
    pawl_json_set(members, names[i], value);
  }
  *out = json_incref(members);
  return PAWL_OK;
}

/* --- times --- */

void pawl_times_add(struct pawl_times *times, double seconds, struct pawl_arena *arena) {
  if ((times->count & (times->count - 1)) == 0) { /* full: the room doubles at powers of two */
    double *grown = pawl_arena_alloc(arena, times->count ? 2 * times->count : 1, sizeof *grown);
    if (times->count) memcpy(grown, times->seconds, times->count * sizeof *grown);
    times->seconds = grown;
  }
  times->seconds[times->count++] = seconds;
}

void pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit,
                          struct pawl_arena *arena) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    const json_t *item = json_array_get(array, i);
    pawl_times_add(times, json_is_number(item) ? json_number_value(item) * unit : (double)NAN,
                   arena);
  }
}

void pawl_feed_figures(struct pawl_feed_point *point, const json_t *object, const char *const *keys,
                       const char *mean, double unit) {
  for (; *keys; keys++) pawl_feed_add_figure(point, *keys, pawl_feed_number(object, *keys) * unit);
  if (mean) point->mean = (struct pawl_feed_figure){mean, pawl_feed_number(object, mean) * unit};
}

/* --- members --- */

double pawl_feed_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  double number;
  if (json_is_number(value)) return json_number_value(value);
  return json_is_string(value) && pawl_parse_double(json_string_value(value), &number)
             ? number
             : (double)NAN;
}

const char *pawl_feed_text(struct pawl_arena *arena, const json_t *object, const char *key) {
  return pawl_arena_copy(arena, json_string_value(json_object_get(object, key)));
}

const char *pawl_feed_reason(const json_t *object, const char *key, const char *otherwise) {
  const json_t *value = json_object_get(object, key);
  const char *text = json_string_value(value);
  if (text) return *text ? text : NULL;
  return !value || json_is_null(value) || json_is_false(value) ? NULL : otherwise;
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
