/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark --benchmark_format=json: {benchmarks: [{run_name, run_type, repetition_index,
   repetitions, real_time, time_unit, error_occurred, skipped}]}. Every repetition is a time of the
   benchmark `run_name`. Versions before 1.5 have no `run_type`: the name of an aggregate ends with
   "_mean". Versions before 1.9 divide the wall time of a call by the threads of its benchmark. In
   the history the name up to the first slash is the kernel, and the rest is the case. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/hash.h"
#include "import/import.h"

/* A benchmark whose repetitions are being gathered. They may run between those of others. */
struct google_gathered {
  struct google_gathered *next, *previous; /* in the order of the file */
  struct google_gathered *beside;          /* another of its bucket */
  uint64_t hash;                           /* its name has this hash */
  struct pawl_feed_point point;
  struct pawl_arena arena; /* holds the point */
  long long last;          /* the number of its last repetition */
  long long repetitions;   /* how many it has; 0: the file does not say */
  const char *unit;        /* the unit of its times; NULL: none yet */
  int rank;                /* how good the aggregate is that stands for them; 0: there is none */
  const char *own_name;    /* "a_mean", which may be a benchmark of that name; NULL */
};

#define MOST_GATHERED 4096 /* at once */
#define BUCKETS 4096       /* each gathered benchmark is in one, by the hash of its name */

struct google_reading {
  struct google_gathered *first, *last;
  struct google_gathered *buckets[BUCKETS];
  size_t count;
  struct pawl_names done; /* benchmarks that were handed on, and of which more may come */
  bool by_threads;        /* the library divides times by the threads */
  bool noted_threads;
};

static uint64_t hash_name(const char *name) { return pawl_hash_bytes(name, strlen(name)).low; }

static struct google_gathered *find_gathered(const struct google_reading *reading,
                                             const char *name) {
  const uint64_t hash = hash_name(name);
  struct google_gathered *item = reading->buckets[hash % BUCKETS];
  while (item && (item->hash != hash || strcmp(item->point.name, name) != 0)) item = item->beside;
  return item;
}

static void set_names(struct google_gathered *item, const char *name) {
  char *kernel = pawl_arena_copy(&item->arena, name), *slash = strchr(kernel, '/');
  if (slash) *slash++ = '\0';
  item->point.name = pawl_arena_copy(&item->arena, name);
  item->point.kernel = kernel;
  item->point.case_name = slash;
}

static struct google_gathered *gather(struct google_reading *reading, const char *name) {
  struct google_gathered *item = pawl_alloc(1, sizeof *item);
  item->point = (struct pawl_feed_point){.value = NAN};
  item->last = -1;
  set_names(item, name);
  item->hash = hash_name(name);
  item->beside = reading->buckets[item->hash % BUCKETS];
  reading->buckets[item->hash % BUCKETS] = item;
  item->previous = reading->last;
  *(reading->last ? &reading->last->next : &reading->first) = item;
  reading->last = item;
  reading->count++;
  return item;
}

static void take_out(struct google_reading *reading, struct google_gathered *item) {
  struct google_gathered **link = &reading->buckets[item->hash % BUCKETS];
  while (*link != item) link = &(*link)->beside;
  *link = item->beside;
  *(item->previous ? &item->previous->next : &reading->first) = item->next;
  *(item->next ? &item->next->previous : &reading->last) = item->previous;
  reading->count--;
}

static void free_gathered(struct google_gathered *item) {
  pawl_arena_clear(&item->arena);
  pawl_free(item);
}

/* Takes a benchmark out of the list and hands it on. Only one with repetitions has aggregates,
   which may follow. */
static pawl_status google_benchmark_hand_on(struct google_reading *reading, struct pawl_feed *feed,
                                            struct google_gathered *item, struct pawl_error *err) {
  struct pawl_feed_point *point = &item->point;
  take_out(reading, item);
  if (item->own_name) set_names(item, item->own_name);
  if (!point->times.count && isnan(point->value) && !point->fault)
    point->fault = PAWL_FEED_NO_TIMES;
  if (item->rank || point->times.count > 1 || item->repetitions > 1)
    pawl_names_take(&reading->done, &point->name, 1);
  const enum pawl_status_code status = pawl_feed_add(feed, point, err);
  free_gathered(item);
  return status;
}

static pawl_status hand_on_all(struct google_reading *reading, struct pawl_feed *feed,
                               struct pawl_error *err) {
  while (reading->first) PAWL_TRY(google_benchmark_hand_on(reading, feed, reading->first, err));
  return PAWL_OK;
}

/* --- the entries --- */

/* Returns the threads of a benchmark. The name of those of versions before 1.5 has them alone. */
static double thread_count(const json_t *entry, const char *name) {
  const json_t *threads = json_object_get(entry, "threads");
  const char *word = strstr(name, "/threads:");
  const long long count = json_is_integer(threads) ? (long long)json_integer_value(threads)
                          : word                   ? atoll(word + strlen("/threads:"))
                                                   : 1;
  return count > 1 ? (double)count : 1;
}

/* Returns the wall time of a call in seconds. A benchmark whose unit is unknown has a fault. */
static double read_time(struct google_reading *reading, struct pawl_feed *feed, const json_t *entry,
                        struct google_gathered *item) {
  const char *unit = json_string_value(json_object_get(entry, "time_unit"));
  const double seconds = unit ? pawl_unit_seconds(unit) : 1e-9;
  if (!(seconds > 0))
    item->point.fault =
        pawl_arena_printf(&item->arena, "its 'time_unit' is '%.20s', not ns, us, ms or s", unit);
  if (!item->unit) item->unit = pawl_arena_copy(&item->arena, unit ? unit : "ns");
  if (strcmp(item->unit, unit ? unit : "ns") != 0)
    item->point.fault =
        pawl_arena_printf(&item->arena, "its times have several units, '%.20s' and '%.20s'",
                          item->unit, unit ? unit : "ns");
  const double threads = reading->by_threads ? thread_count(entry, item->point.name) : 1;
  if (threads > 1 && !reading->noted_threads)
    pawl_feed_note(feed,
                   "Google Benchmark before 1.9 divides times by the threads: pawl multiplies "
                   "them, so that each is the wall time of a call");
  reading->noted_threads = reading->noted_threads || threads > 1;
  return pawl_feed_number(entry, "real_time") * seconds * threads;
}

static const char *read_reason(const json_t *entry, const char *flag, const char *message,
                               const char *otherwise, struct google_gathered *item) {
  if (!pawl_feed_reason(entry, flag, otherwise)) return NULL;
  const char *text = pawl_feed_reason(entry, message, otherwise);
  return pawl_arena_copy(&item->arena, text ? text : otherwise);
}

/* Repetitions of a benchmark share its name and are numbered as they run. A number that does not
   rise is another benchmark of the same name. Versions before 1.5.1 do not number them, and run
   them one after the other. */
static pawl_status take_repetition(struct google_reading *reading, struct pawl_feed *feed,
                                   const json_t *entry, const char *name, struct pawl_error *err) {
  const json_t *number = json_object_get(entry, "repetition_index"),
               *all = json_object_get(entry, "repetitions");
  struct google_gathered *item = find_gathered(reading, name);
  if (item && item->rank) item = NULL;
  const long long next = json_is_integer(number) ? (long long)json_integer_value(number)
                         : item                  ? item->last + 1
                                                 : 0;
  if (!item && (!json_is_integer(number) || reading->count >= MOST_GATHERED))
    PAWL_TRY(hand_on_all(reading, feed, err));
  if (item && next <= item->last) {
    PAWL_TRY(google_benchmark_hand_on(reading, feed, item, err));
    item = NULL;
  }
  if (!item) item = gather(reading, name);
  struct pawl_feed_point *point = &item->point;
  item->last = next;
  if (json_is_integer(all)) item->repetitions = (long long)json_integer_value(all);
  if (!point->failure)
    point->failure = read_reason(entry, "error_occurred", "error_message", "it failed", item);
  if (!point->skipped)
    point->skipped = read_reason(entry, "skipped", "skip_message", "it was skipped", item);
  pawl_times_add(&point->times, read_time(reading, feed, entry, item), &item->arena);
  return item->repetitions && next + 1 >= item->repetitions
             ? google_benchmark_hand_on(reading, feed, item, err)
             : PAWL_OK;
}

/* The aggregates that can stand for the repetitions, the better one last. */
static int rank_of(const char *aggregate) {
  return !strcmp(aggregate, "median") ? 2 : !strcmp(aggregate, "mean") ? 1 : 0;
}

/* Where the file has aggregates alone, the median stands for the repetitions. `own_name`: see
   struct google_gathered. */
static pawl_status take_aggregate(struct google_reading *reading, struct pawl_feed *feed,
                                  const json_t *entry, const char *name, const char *aggregate,
                                  const char *own_name) {
  struct google_gathered *item = find_gathered(reading, name);
  if (item ? item->point.times.count > 0 : pawl_names_has(&reading->done, &name, 1))
    return PAWL_OK; /* its repetitions were read */
  if (item)
    item->own_name = NULL;
  else {
    item = gather(reading, name);
    item->own_name = pawl_arena_copy(&item->arena, own_name);
  }
  if (rank_of(aggregate) <= item->rank) return PAWL_OK;
  item->rank = rank_of(aggregate);
  item->point.value = read_time(reading, feed, entry, item);
  return PAWL_OK;
}

/* The aggregate that a name of a version before 1.5 ends with; NULL: none. "BM_mean" may also be a
   benchmark: it is one unless repetitions of "BM" came before it, or other aggregates follow. */
static const char *find_old_aggregate(const struct google_reading *reading, const char *name,
                                      struct pawl_arena *arena, const char **stem) {
  static const char *const endings[] = {"_mean", "_median", "_stddev", "_cv"};
  for (size_t i = 0; i < PAWL_COUNT(endings); i++) {
    if (!pawl_ends_with(name, endings[i]) || strlen(name) == strlen(endings[i])) continue;
    *stem = pawl_arena_printf(arena, "%.*s", (int)(strlen(name) - strlen(endings[i])), name);
    const struct google_gathered *item = find_gathered(reading, *stem);
    const bool of_item = item && (item->rank || item->point.times.count > 1);
    return of_item || (!item && i == 0) ? endings[i] + 1 : NULL;
  }
  return NULL;
}

static enum pawl_status_code take_entry(void *context, struct pawl_feed *feed, const json_t *entry,
                                        struct pawl_error *err) {
  struct google_reading *reading = context;
  const char *name = json_string_value(json_object_get(entry, "name")), *stem;
  const char *run_name = json_string_value(json_object_get(entry, "run_name"));
  const char *type = json_string_value(json_object_get(entry, "run_type"));
  const char *aggregate = json_string_value(json_object_get(entry, "aggregate_name"));
  if (!name) name = "-";
  if (type && !strcmp(type, "aggregate"))
    return take_aggregate(reading, feed, entry, run_name ? run_name : name,
                          aggregate ? aggregate : "", NULL);
  if (json_object_get(entry, "big_o") || json_object_get(entry, "rms"))
    return PAWL_OK; /* a fit over benchmarks that the file has */
  aggregate = type ? NULL : find_old_aggregate(reading, name, &feed->point, &stem);
  if (aggregate) return take_aggregate(reading, feed, entry, stem, aggregate, name);
  return take_repetition(reading, feed, entry, run_name ? run_name : name, err);
}

/* Says whether the library divides times by the threads. It names its version since 1.8.4. A
   version that is no number, as of a build without git, counts as a new one. */
static bool divides_by_threads(const json_t *context) {
  const char *version = json_string_value(json_object_get(context, "library_version"));
  int major, minor;
  if (!version) return json_object_get(context, "library_build_type") != NULL;
  return sscanf(version + (*version == 'v'), "%d.%d", &major, &minor) == 2 && major == 1 &&
         minor < 9;
}

static pawl_status read_context(struct google_reading *reading, struct pawl_feed *feed,
                                struct pawl_json_span whole, struct pawl_error *err) {
  static const char *const names[] = {"context"};
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  PAWL_TRY(pawl_feed_members(feed, whole, names, 1, &head, err));
  const json_t *context = json_object_get(head, "context");
  const long long when = pawl_feed_time(json_string_value(json_object_get(context, "date")));
  const char *host = json_string_value(json_object_get(context, "host_name"));
  const json_t *cpus = json_object_get(context, "num_cpus");
  reading->by_threads = divides_by_threads(context);
  if (when >= 0) feed->run.time = when;
  if (host && json_is_integer(cpus))
    feed->run.hardware = feed->run.hardware_name = pawl_arena_printf(
        &feed->arena, "%.200s, %lld CPUs", host, (long long)json_integer_value(cpus));
  return PAWL_OK;
}

pawl_status pawl_feed_google_benchmark(struct pawl_feed *feed, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) struct google_reading *reading = pawl_alloc(1, sizeof *reading);
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(read_context(reading, feed, whole, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  enum pawl_status_code status = pawl_feed_each(feed, benchmarks, take_entry, reading, err);
  if (status == PAWL_OK) status = hand_on_all(reading, feed, err);
  for (struct google_gathered *item; (item = reading->first);) {
    take_out(reading, item);
    free_gathered(item);
  }
  pawl_names_clear(&reading->done);
  return status;
}
