/* SPDX-License-Identifier: Apache-2.0 */
/* What other harnesses wrote, fed into the history: a run, then its points one by one. A file is
   walked, never held as a whole. */
#ifndef PAWL_IMPORT_FEED_H
#define PAWL_IMPORT_FEED_H

#include "base/json_span.h"
#include "record/history.h"

/* Who takes what was read. Texts and samples live until the function returns. */
struct pawl_feed_sink {
  void *context;
  enum pawl_status_code (*run)(void *context, const struct pawl_history_run *run,
                               struct pawl_error *err);
  enum pawl_status_code (*point)(void *context, const struct pawl_history_point *point,
                                 struct pawl_error *err);
};

struct pawl_feed {
  struct pawl_json_text text;              /* its name is the file's path */
  const char *format;                      /* the importer's name: the source of the runs */
  const struct pawl_history_run *defaults; /* what stands where the file does not say it */
  struct pawl_feed_sink sink;
  struct pawl_history_run run; /* that is being fed */
  struct pawl_arena arena;     /* of that run */
  struct pawl_arena point;     /* of a point: empty after each */
};

/* Feeds a whole file. PAWL_BAD_DATA names file and line. */
typedef enum pawl_status_code pawl_feed_read(struct pawl_feed *feed, struct pawl_error *err);

/* Starts a run with the defaults, and an id by the bytes of `span`. Fill in feed->run, then call
 * pawl_feed_run(). */
void pawl_feed_start(struct pawl_feed *feed, struct pawl_json_span span);
/* The same for a file that is one object: `whole`, with the figures in its list `member`.
 * PAWL_BAD_DATA: it is not. */
pawl_status pawl_feed_start_list(struct pawl_feed *feed, const char *member,
                                 struct pawl_json_span *whole, struct pawl_json_span *list,
                                 struct pawl_error *err);
pawl_status pawl_feed_run(struct pawl_feed *feed, struct pawl_error *err);
/* The id of the run `number`, from 1, of the same bytes. */
const char *pawl_feed_other_id(struct pawl_feed *feed, size_t number);

/* A figure. Either `seconds` of `count` calls, or `value` in `unit`. */
struct pawl_feed_point {
  size_t position; /* where it stands in the text, for messages */
  const char *kernel, *case_name;
  const double *seconds;
  size_t count;
  double value;
  const char *unit; /* of time: it becomes milliseconds; NULL: seconds */
  bool bigger_is_better;
  const char *failure; /* why there is no figure; NULL */
};
/* Hands the point on and empties feed->point. PAWL_BAD_DATA: no name, a name too long, a time that
 * is none. */
pawl_status pawl_feed_add(struct pawl_feed *feed, const struct pawl_feed_point *point,
                          struct pawl_error *err);

/* A member of a parsed object, in feed->point or feed->arena; NULL: it is absent or no text. */
const char *pawl_feed_text(struct pawl_arena *arena, const json_t *object, const char *key);
/* "2023-11-14T22:13:20+01:00", "2023-11-14 22:13:20.5", without a zone UTC; -1: it is none of
 * these. */
long long pawl_feed_time(const char *text);
/* Sets feed->run.commit where the text is a commit's id. */
void pawl_feed_commit(struct pawl_feed *feed, const char *text);
/* "a=1,b=2" of an object's members; NULL where it has none. */
const char *pawl_feed_pairs(struct pawl_arena *arena, const json_t *object);

#endif
