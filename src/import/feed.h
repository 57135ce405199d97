/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks of a file, handed on one by one as a reader finds them. A reader says what the
   file says; pawl_feed_add() judges it. So every format has the same outcomes, names and units, in
   the rows of `bench` and `run` and in the history. */
#pragma once

#include "base/json_span.h"
#include "import/names.h"
#include "import/unit.h"
#include "record/history.h"
#include "worker/benchmarks.h"

/* The times of one benchmark, in seconds. NaN stands for a time that is no number. */
struct pawl_times {
  double *seconds;
  size_t count;
};

/* Takes what a file holds. Texts and samples live until the function returns. */
struct pawl_feed_sink {
  void *context;
  enum pawl_status_code (*run)(void *context, const struct pawl_history_run *run,
                               struct pawl_error *err);
  enum pawl_status_code (*point)(void *context, const struct pawl_history_point *point,
                                 struct pawl_error *err);
  /* In place of the two above: the rows of a command, for which runs have no meaning. */
  enum pawl_status_code (*benchmark)(void *context, const struct pawl_benchmark *benchmark,
                                     struct pawl_error *err);
};

/* An outcome that a benchmark of a file can have. */
struct pawl_feed_outcome {
  enum pawl_outcome outcome;
  const char *word; /* in the line that ends an import */
};
#define PAWL_FEED_OUTCOMES 4
extern const struct pawl_feed_outcome pawl_feed_outcomes[PAWL_FEED_OUTCOMES];

struct pawl_feed {
  struct pawl_json_text text;              /* its name is the file's path */
  const char *format;                      /* the importer's name: the source of the runs */
  const struct pawl_history_run *defaults; /* for whatever the file does not say */
  enum pawl_better better;                 /* for units that say no direction */
  struct pawl_feed_sink sink;
  struct pawl_history_run run; /* the run that is being fed */
  struct pawl_json_span span;  /* the bytes that make its id */
  size_t run_number;           /* counts the runs of the same bytes, from 0 */
  struct pawl_arena arena;     /* lives as long as the run */
  struct pawl_arena point;     /* lives as long as a point */
  struct pawl_names names;     /* the names of the run; for a command, of the file */
  size_t runs, counts[PAWL_FEED_OUTCOMES];
  struct pawl_text reasons[PAWL_FEED_OUTCOMES]; /* "'a': no GPU; 'b': ...", the first few */
  struct pawl_text notes;                       /* lines about the file as a whole */
  bool noted_names, noted_unit;                 /* each note is made once */
};

/* Feeds a whole file. PAWL_BAD_DATA, with file and line: the file is not of the format. One
   benchmark never makes a file fail. */
typedef enum pawl_status_code pawl_feed_read(struct pawl_feed *feed, struct pawl_error *err);

/* Starts a run with the defaults. Its id comes from the bytes of `span` and from the commit. Fill
   in feed->run, then call pawl_feed_run(). */
void pawl_feed_start(struct pawl_feed *feed, struct pawl_json_span span);
pawl_status pawl_feed_run(struct pawl_feed *feed, struct pawl_error *err);
/* Does the same for a file that is one object: `whole`, with the benchmarks in its list `member`.
 * Fails with PAWL_BAD_DATA for any other file. */
pawl_status pawl_feed_start_list(struct pawl_feed *feed, const char *member,
                                 struct pawl_json_span *whole, struct pawl_json_span *list,
                                 struct pawl_error *err);
/* Returns the commit that the command line gave to the run, or NULL if it gave none or the file
 * names its own. */
const char *pawl_feed_given_commit(const struct pawl_feed *feed);
/* Returns the id of the run whose commit the command line gave: two commits may have the same
 * figures, and a file counts once for each. Returns NULL if the bytes alone make the id. */
const char *pawl_feed_id(struct pawl_feed *feed, const char *commit);

/* Calls `take` for each element of a list, parsed. */
typedef enum pawl_status_code pawl_feed_take(void *context, struct pawl_feed *feed,
                                             const json_t *item, struct pawl_error *err);
pawl_status pawl_feed_each(struct pawl_feed *feed, struct pawl_json_span list, pawl_feed_take *take,
                           void *context, struct pawl_error *err);
/* Feeds a file that is one list as one run. Fails with PAWL_BAD_DATA if the file is no list. */
pawl_status pawl_feed_list(struct pawl_feed *feed, pawl_feed_take *take, struct pawl_error *err);
/* Parses the members of an object that have these names; the others stay unread. A new
 * reference. */
pawl_status pawl_feed_members(struct pawl_feed *feed, struct pawl_json_span object,
                              const char *const *names, size_t count, json_t **out,
                              struct pawl_error *err);

/* A figure that a file gives of the times of a benchmark, in seconds. NaN: it gives none. */
struct pawl_feed_figure {
  const char *key;
  double seconds;
};
#define PAWL_FEED_FIGURES 12

/* A benchmark as the file has it. Any of it may be wrong or missing. */
struct pawl_feed_point {
  const char *name; /* the name of its row in `bench` and `run`; NULL: "KERNEL/CASE" */
  const char *kernel, *case_name; /* in the history; NULL: "-" */
  struct pawl_times times;        /* the times of its calls */
  double value;                   /* where it has no times: one figure */
  const char *unit;               /* the unit of `value`; NULL: seconds */
  /* Figures of the tool beside its times or its value. They ascend, the mean lies between them, and
   * all lie among the times, or else somebody has cut or edited the file. */
  struct pawl_feed_figure ascending[PAWL_FEED_FIGURES], mean; /* mean.key NULL: none */
  size_t figures;                                             /* in `ascending` */
  enum pawl_better better;                                    /* by the tool's own word */
  const char *failure; /* by the tool's word a call failed, and how */
  const char *skipped; /* by the tool's word it did not run, and why */
  const char *fault;   /* why pawl cannot read its figure */
};
#define PAWL_FEED_NO_TIMES "the file has no times of it"

/* Judges the point, gives it a name of its own, counts it and hands it on. Empties feed->point. The
   failures are those of the sink alone. */
pawl_status pawl_feed_add(struct pawl_feed *feed, const struct pawl_feed_point *point,
                          struct pawl_error *err);

/* Counts a point of pawl's own and hands it on as it is. */
pawl_status pawl_feed_add_own(struct pawl_feed *feed, const struct pawl_history_point *point,
                              struct pawl_error *err);

/* Appends a time. */
void pawl_times_add(struct pawl_times *times, double seconds, struct pawl_arena *arena);
/* Appends an array of times, each times `unit` seconds. */
void pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit,
                          struct pawl_arena *arena);

/* Appends a figure behind those that are no larger. */
void pawl_feed_add_figure(struct pawl_feed_point *point, const char *key, double seconds);
/* Takes the members of an object as figures, in units of `unit` seconds. `keys` ascend and end with
 * NULL. `mean` is the key of the mean, or NULL. */
void pawl_feed_figures(struct pawl_feed_point *point, const json_t *object, const char *const *keys,
                       const char *mean, double unit);
/* Returns why the figures of a point cannot be those of its times. NULL: nothing is wrong. */
const char *pawl_feed_contradiction(const struct pawl_feed_point *point, struct pawl_arena *arena);

/* Adds a line about the file to feed->notes. */
void pawl_feed_note(struct pawl_feed *feed, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes "3 benchmarks: 1 read, 1 failed ('a': exit status 1), 1 skipped ('b': no GPU)". */
void pawl_feed_summary(const struct pawl_feed *feed, struct pawl_text *out);
size_t pawl_feed_count(const struct pawl_feed *feed); /* all benchmarks */
void pawl_feed_release(struct pawl_feed *feed);

/* Returns the number of a member, or of a text that is a number, or NaN. */
double pawl_feed_number(const json_t *object, const char *key);
/* Returns a member of a parsed object, in the arena, or NULL if it is absent or no text. */
const char *pawl_feed_text(struct pawl_arena *arena, const json_t *object, const char *key);
/* Reads "error" or "skipped", whose value may be true or a reason. Returns the reason, or
 * `otherwise`, or NULL if the member is absent, false, null or "". */
const char *pawl_feed_reason(const json_t *object, const char *key, const char *otherwise);
/* Reads "2023-11-14T22:13:20+01:00" or "2023-11-14 22:13:20.5", without a zone as UTC. Returns -1
 * for any other text. */
long long pawl_feed_time(const char *text);
/* Sets feed->run.commit where the text is a commit's id. */
void pawl_feed_commit(struct pawl_feed *feed, const char *text);
/* Returns an object's members as "a=1,b=2", or NULL if it has none. */
const char *pawl_feed_pairs(struct pawl_arena *arena, const json_t *object);
