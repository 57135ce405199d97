/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a search: the screened candidates, the judged finalists, the other cases, and
   the conclusion. tune.json holds it (docs/schema/tune.schema.json). */
#pragma once

#include "gate/paired_test.h"
#include "model/result.h"
#include "tune/rule.h"
#include "tune/space.h"
#include "tune/tune_code.h"

#define PAWL_TUNE_SCHEMA 1
/* the value of same_as for the machine code of the current parameters */
#define PAWL_TUNE_CURRENT "current"
#define PAWL_TUNE_MOST_CASES 32u

/* One block of a configuration and of the current parameters on one case. */
struct pawl_tune_times {
  double median_ms, base_ms; /* NaN: not timed */
  bool checked;              /* pawl compared its outputs */
};

/* A configuration that was built, checked and timed beside the current parameters. */
struct pawl_tune_candidate {
  size_t index;    /* an index of the space */
  const char *key; /* "BLOCK_M=16,BLOCK_N=64" */
  enum pawl_outcome outcome;
  const char *reason;        /* why the outcome is not OK; NULL */
  double median_ms, base_ms; /* geometric means over the cases with times; NaN: none */
  bool checked; /* compared on all cases, or where it failed; false: it was too slow to compare */
  const struct pawl_tune_times *times; /* one for each case; NULL: not timed */
  size_t time_count;
  bool proven; /* it passed the whole check */
  double build_seconds, measure_seconds;
  size_t race_blocks; /* 0: it was not in the race */
  /* its time / the current time at the end of its race; infinite: it failed in its last round */
  double race_ratio;
  const char *code_hash; /* NULL: unknown, or not built */
  const char *evaluator; /* "2 on gpu07"; NULL: this process timed it */
  /* the key of a candidate with the same machine code, whose times it shares, or "current"; NULL */
  const char *same_as;
};

/* The gate's test of a candidate against the current parameters on one tuned case. The speed-up
   comes from the confirming blocks alone, which had no part in the choice of the candidate. In a
   search for several cases, a case without an improvement has the estimate of the verdict's
   blocks. */
struct pawl_tune_verdict {
  enum pawl_outcome outcome;
  const char *reason;
  struct pawl_paired_test paired;
  double speedup, low, high; /* current time / its time; NaN: not known */
  bool harmed; /* with several cases: it is slower here, or seems slower by more than `tolerate` */
};

/* A finalist that is proven to be faster, on another case of the operator. */
struct pawl_tune_other {
  const char *case_name;
  enum pawl_outcome outcome;
  const char *reason;
  enum pawl_decision decision;
  double slowdown, low, high; /* fractions */
  size_t blocks;
  bool harmed; /* it is slower or wrong there, or may be slower by more than `detect` */
};

/* A candidate with a verdict on each tuned case. */
struct pawl_tune_finalist {
  size_t candidate; /* an index of candidates */
  enum pawl_outcome outcome;
  const char *reason;
  /* [case_count] one for each tuned case; NULL: it failed the check */
  struct pawl_tune_verdict *verdicts;
  size_t verdict_count;
  /* geometric mean over the cases, 95 %; NaN: not confirmed, or not known */
  double speedup, low, high;
  struct pawl_tune_other *others;
  size_t other_count; /* 0: no judgement was needed or made there */
};

/* The best settings of several cases, and the rule that chooses among them. */
struct pawl_tune_selection {
  /* candidates; the first is PAWL_TUNE_NO_CANDIDATE, the current parameters */
  const size_t *settings;
  size_t setting_count;
  /* [setting * case_count + case]: medians of blocks; NaN: it failed, or had too few blocks */
  const double *ratios;
  double noise; /* the standard error of the log of a ratio; NaN: too few blocks */
  /* the setting that the rule must beat: the recommended one, else the current parameters */
  size_t one;
  struct pawl_tune_rule rule;
  /* one for each case, with the rule's setting; NULL: not judged */
  struct pawl_tune_verdict *verdicts;
  double speedup, low, high; /* geometric mean over the cases with the rule; NaN: not known */
  /* the gain of the rule over the one setting, from new blocks: 0.02 is 2 %; NaN: not known */
  double gain;
  bool offered;           /* the rule is proven, and gains enough */
  const char *conclusion; /* one line */
};
#define PAWL_TUNE_NO_CANDIDATE SIZE_MAX

/* The evaluators of a search. */
struct pawl_tune_team {
  const char *executor;  /* "slurm"; NULL: there were no evaluators */
  const char *judged_by; /* the evaluator that ran the race and the verdicts; NULL: none */
  size_t lost;           /* evaluations whose evaluator was lost; another one repeated each */
};

struct pawl_tune {
  const char *kernel_name, *hardware, *hardware_name, *commit, *timestamp, *strategy;
  const char *case_name;                /* "small", or "small,large" for several cases */
  const struct pawl_case *const *cases; /* the tuned cases */
  size_t case_count;
  uint64_t seed;
  double budget_seconds, seconds, improve;
  /* from the start until the race, with the builds and the current code */
  double screening_seconds;
  double race_seconds; /* the duration of the race alone */
  const struct pawl_space *space;
  struct pawl_tune_code code;
  const char *current; /* the key of the current parameters, without those that are not in params */
  struct pawl_tune_candidate *candidates;
  size_t count;
  /* the current parameters are a configuration of the space and need no trial */
  bool current_in_space;
  size_t current_index; /* its index in this case */
  struct pawl_tune_team team;
  /* the key of a configuration whose build the end of the budget interrupted; NULL: none */
  const char *building;
  bool stopped;           /* the user ended the search */
  size_t unjudged;        /* faster candidates without time for a verdict */
  double judging_seconds; /* about the duration of a verdict; 0: not known */
  struct pawl_tune_finalist *finalists;
  size_t finalist_count;
  struct pawl_tune_selection *selection; /* for several cases; NULL: none */
  /* an index of finalists: the first that harms no other case, else the first faster one;
     finalist_count: none is faster */
  size_t winner;
  bool recommended, decided;
  bool finished; /* decided, and no rule waits for a verdict */
  /* an earlier command ended the search and wrote all files; only its conclusion is here */
  bool ended_before;
  const char *conclusion; /* one line */
};

/* Gives `one` the outcome and the times of another candidate with its machine code. */
void pawl_tune_adopt(struct pawl_tune_candidate *one, const struct pawl_tune_candidate *other);
/* Returns the candidate with the same machine code that differs from the current parameters in the
 * fewest values, because the other differences have no effect. Returns the candidate itself if the
 * current parameters are not in the space. */
size_t pawl_tune_plainest(const struct pawl_tune *tune, size_t candidate);
const char *pawl_tune_plain_key(const struct pawl_tune *tune, size_t candidate);
size_t pawl_tune_failed(const struct pawl_tune *tune);
/* Copies the state of a candidate to all candidates with its machine code. */
void pawl_tune_share(struct pawl_tune *tune, const struct pawl_tune_candidate *candidate);
bool pawl_tune_is_judged(const struct pawl_tune *tune, size_t i);
void pawl_tune_finalist_init(struct pawl_tune_finalist *finalist, size_t candidate);
/* Sets median_ms, base_ms and checked from the outcome and the times of a candidate's cases. */
void pawl_tune_sum_up(struct pawl_tune_candidate *candidate);
/* Computes speedup, low, high and harmed of a verdict, one of `cases`, from its blocks. With
   several cases the limits of each have the error 5 % / cases, so that the limits of the
   geometric mean hold at 95 %. */
void pawl_tune_verdict_read(struct pawl_tune_verdict *verdict, size_t cases,
                            struct pawl_arena *arena);
/* Returns whether the finalist is faster, but harms a case, so pawl cannot recommend it. Another
 * candidate may be faster on all cases. */
bool pawl_tune_harms(const struct pawl_tune_finalist *finalist);
/* Returns the first other case on which the finalist is slower or fails, or NULL. */
const struct pawl_tune_other *pawl_tune_find_harmed(const struct pawl_tune_finalist *finalist);
const char *pawl_tune_harm(const struct pawl_tune_other *other); /* "slower" or "fails" */
/* Returns " [1.09, 1.21]", or "" if the limits are unknown. */
const char *pawl_tune_limits(double low, double high, struct pawl_arena *arena);
/* Computes the geometric mean of the verdicts' speed-ups and of their limits, NaN if one is
 * unknown. */
void pawl_tune_mean_speedup(const struct pawl_tune_verdict *verdicts, size_t count, double *speedup,
                            double *low, double *high);
/* Returns the joint verdict: REGRESSION if one case is proven slower or fails, IMPROVEMENT if none
 * may be slower and one is faster. */
enum pawl_decision pawl_tune_answer(const struct pawl_tune_finalist *finalist);
/* Sets from its verdicts whether the rule is offered, its gain, and the line about it. */
void pawl_tune_conclude_rule(struct pawl_tune *tune, struct pawl_arena *arena);
/* Returns the setting of a case: PAWL_TUNE_NO_CANDIDATE or a candidate. */
size_t pawl_tune_rule_candidate(const struct pawl_tune *tune, size_t case_number);
/* Returns the shape values of the tuned cases, [case * dims + dim]. *dims is the number of
 * dimensions. */
const int64_t *pawl_tune_shapes(const struct pawl_tune *tune, struct pawl_arena *arena,
                                size_t *dims);

/* Sets winner, recommended, decided, finished and conclusion from the other members. */
void pawl_tune_conclude(struct pawl_tune *tune, struct pawl_arena *arena);

/* Counts the known configurations: tried ones, and the current one. */
size_t pawl_tune_tried(const struct pawl_tune *tune);
/* Counts the candidates that work and have a time. */
size_t pawl_tune_count_timed(const struct pawl_tune *tune);

json_t *pawl_tune_to_json(const struct pawl_tune *tune);
