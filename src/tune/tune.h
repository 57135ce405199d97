/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning found: the candidates that were screened, the finalists that were judged, the other
   cases, and what follows from them. tune.json holds it: docs/schema/tune.schema.json. */
#ifndef PAWL_TUNE_TUNE_H
#define PAWL_TUNE_TUNE_H

#include "gate/paired_test.h"
#include "model/result.h"
#include "tune/rule.h"
#include "tune/space.h"
#include "tune/tune_code.h"

#define PAWL_TUNE_SCHEMA 1
#define PAWL_TUNE_CURRENT "current" /* same_as: the machine code of the current parameters */
#define PAWL_TUNE_MOST_CASES 32u

/* One block of a configuration and the current one on one case. */
struct pawl_tune_times {
  double median_ms, base_ms; /* NaN: not timed */
  bool checked;              /* its outputs were compared */
};

/* One configuration that was built, checked and timed beside the current one. */
struct pawl_tune_candidate {
  size_t index;    /* in the space */
  const char *key; /* "BLOCK_M=16,BLOCK_N=64" */
  enum pawl_outcome outcome;
  const char *reason;        /* why it is not OK; NULL */
  double median_ms, base_ms; /* geometric means over the cases that it was timed on; NaN: none */
  bool checked; /* on all cases, or where it failed; false: it was too slow to be worth it */
  const struct pawl_tune_times *times; /* of each case; NULL: not timed */
  size_t time_count;
  bool proven; /* it passed the whole check */
  double build_seconds, measure_seconds;
  size_t race_blocks; /* 0: it was not in the race of the best */
  double race_ratio;  /* its time / the current time, where the race left it; infinite: it failed in
                         the last of them */
  const char *code_hash; /* NULL: unknown, or not built */
  const char *evaluator; /* "2 on gpu07": who timed it; NULL: this process */
  const char *same_as; /* whose machine code it has, and thereby times: a key, or "current"; NULL */
};

/* The gate's test of a candidate and the current parameters on one case that the search tunes for.
   The speed-up is that of the confirming blocks alone, which had no part in choosing the candidate.
   Of several cases, one without an improvement has the estimate of the verdict's blocks. */
struct pawl_tune_verdict {
  enum pawl_outcome outcome;
  const char *reason;
  struct pawl_paired_test paired;
  double speedup, low, high; /* current time / its time; NaN: not known */
  bool harmed; /* of several cases: it is slower here, or seems to be by more than `tolerate` */
};

/* A finalist that is proven to be faster, on another case of the operator. */
struct pawl_tune_other {
  const char *case_name;
  enum pawl_outcome outcome;
  const char *reason;
  enum pawl_decision decision;
  double slowdown, low, high; /* fractions */
  size_t blocks;
  bool harmed; /* it is slower there, wrong, or may be slower by more than is to be detected */
};

/* A candidate judged on each case that the search tunes for. */
struct pawl_tune_finalist {
  size_t candidate; /* in candidates */
  enum pawl_outcome outcome;
  const char *reason;
  struct pawl_tune_verdict *verdicts; /* [case_count] of the tuning; NULL: it failed the check */
  size_t verdict_count;
  double speedup, low,
      high; /* geometric mean over the cases, 95 %; NaN: not confirmed, or not known */
  struct pawl_tune_other *others;
  size_t other_count; /* 0: it need not be judged there, or nobody came to it */
};

/* The best settings of several cases, and the rule that chooses among them. */
struct pawl_tune_selection {
  const size_t
      *settings; /* candidates; PAWL_TUNE_NO_CANDIDATE: the current parameters, the first */
  size_t setting_count;
  const double *ratios; /* [setting * case_count + case]: medians of blocks; NaN: it failed, or had
                           too few blocks */
  double noise;         /* the standard error of the log of one of them; NaN: too few blocks */
  size_t one; /* the setting that the rule must beat: the recommended one, else the current
                 parameters */
  struct pawl_tune_rule rule;
  struct pawl_tune_verdict *verdicts; /* of each case, with the rule's setting; NULL: not judged */
  double speedup, low, high; /* geometric mean over the cases with the rule; NaN: not known */
  double gain;  /* of the rule over the one setting, from new blocks: 0.02; NaN: not known */
  bool offered; /* the rule is proven and worth it */
  const char *conclusion; /* one line */
};
#define PAWL_TUNE_NO_CANDIDATE SIZE_MAX

/* Of a search whose candidates several evaluators timed. */
struct pawl_tune_team {
  const char *executor; /* "slurm"; NULL: there was no team */
  const char
      *judged_by; /* the evaluator that ran the race and the verdicts; NULL: there were none */
  size_t lost;    /* evaluations whose evaluator was lost; another repeated each */
};

struct pawl_tune {
  const char *kernel_name, *hardware, *hardware_name, *commit, *timestamp, *strategy;
  const char *case_name;                /* "small"; of several cases "small,large" */
  const struct pawl_case *const *cases; /* that the search tunes for */
  size_t case_count;
  uint64_t seed;
  double budget_seconds, seconds, improve;
  double
      screening_seconds; /* from the start until the race, builds and the current code included */
  double race_seconds;   /* of the race alone */
  const struct pawl_space *space;
  struct pawl_tune_code code;
  const char *current; /* the key of the current parameters; those not in params are left out */
  struct pawl_tune_candidate *candidates;
  size_t count;
  bool current_in_space; /* the current parameters are one of the space's configurations: they need
                            no trial */
  size_t current_index;  /* which, if so */
  struct pawl_tune_team team;
  const char *building;   /* the key of a configuration that was not built yet when the time was up;
                             NULL: all were */
  bool stopped;           /* the user ended the search */
  size_t unjudged;        /* faster candidates that the budget left no time to judge */
  double judging_seconds; /* that a verdict takes, about; 0: not known */
  struct pawl_tune_finalist *finalists;
  size_t finalist_count;
  struct pawl_tune_selection *selection; /* of several cases; NULL: none */
  size_t winner; /* in finalists: the first that harms no other case, else the first;
                    finalist_count: none is faster */
  bool recommended, decided;
  bool finished;          /* decided, and no rule waits for its verdict */
  bool ended_before;      /* by an earlier command, which has written all files; here is what its
                             conclusion says */
  const char *conclusion; /* one line */
};

/* Gives a candidate the outcome and the times of another, which has its machine code. */
void pawl_tune_adopt(struct pawl_tune_candidate *one, const struct pawl_tune_candidate *other);
/* Of the candidates with its machine code the one that differs from the current parameters in the
   fewest: what a parameter does not change is left alone. The candidate itself where the space does
   not contain the current ones. */
size_t pawl_tune_plainest(const struct pawl_tune *tune, size_t candidate);
const char *pawl_tune_plain_key(const struct pawl_tune *tune, size_t candidate);
/* Candidates that failed. */
size_t pawl_tune_failed(const struct pawl_tune *tune);
/* What is true of a candidate now is true of all that have its machine code. */
void pawl_tune_share(struct pawl_tune *tune, const struct pawl_tune_candidate *candidate);
/* Whether candidate i is a finalist. */
bool pawl_tune_is_judged(const struct pawl_tune *tune, size_t i);
void pawl_tune_finalist_init(struct pawl_tune_finalist *finalist, size_t candidate);
/* Sets median_ms, base_ms and checked from the outcome and the times of a candidate's cases. */
void pawl_tune_sum_up(struct pawl_tune_candidate *candidate);
/* Reads the blocks of a verdict, one of `cases`, into speedup, low, high and harmed. The limits of
   each of several cases have the error 5 % / cases, so that those of the geometric mean hold at 95
   %. */
void pawl_tune_verdict_read(struct pawl_tune_verdict *verdict, size_t cases,
                            struct pawl_arena *arena);
/* Whether it is faster, but cannot be recommended for what it does on a case: another may be faster
 * on all. */
bool pawl_tune_harms(const struct pawl_tune_finalist *finalist);
/* " [1.09, 1.21]"; "" where they are not known. */
const char *pawl_tune_limits(double low, double high, struct pawl_arena *arena);
/* The geometric mean of the verdicts' speed-ups and of their limits; NaN where one is not known. */
void pawl_tune_mean_speedup(const struct pawl_tune_verdict *verdicts, size_t count, double *speedup,
                            double *low, double *high);
/* What the verdicts say together: REGRESSION where one is proven to be slower or fails, IMPROVEMENT
   where none may be slower and one is faster. */
enum pawl_decision pawl_tune_answer(const struct pawl_tune_finalist *finalist);
/* Whether the rule is offered, what it gains, and the line that says so; from its verdicts. */
void pawl_tune_conclude_rule(struct pawl_tune *tune, struct pawl_arena *arena);
/* The setting of a case: PAWL_TUNE_NO_CANDIDATE or a candidate. */
size_t pawl_tune_rule_candidate(const struct pawl_tune *tune, size_t case_number);
/* The shape values of the tuned cases, [case * dims + dim], and the names of the dimensions. */
const int64_t *pawl_tune_shapes(const struct pawl_tune *tune, struct pawl_arena *arena,
                                size_t *dims);

/* Sets winner, recommended, decided, finished and conclusion from the rest. */
void pawl_tune_conclude(struct pawl_tune *tune, struct pawl_arena *arena);

/* Configurations that are known: tried, or current. */
size_t pawl_tune_tried(const struct pawl_tune *tune);
/* Candidates that work and have a time. */
size_t pawl_tune_count_timed(const struct pawl_tune *tune);

json_t *pawl_tune_to_json(const struct pawl_tune *tune);

#endif
