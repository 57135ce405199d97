/* SPDX-License-Identifier: Apache-2.0 */
/* A request for timed calls together with the checks that accompany it. */
#pragma once

#include "measure/integrity/permutation.h"

/* The samples that an arm takes in one round. The requests of a turn count `samples` down to 0. */
struct pawl_turn {
  int round, samples, warmup, first_set;
  bool last; /* the arm has no later turn in the block */
  bool begun;
  int all_samples, all_first_set; /* the whole turn, set with its first request */
  int retries;                    /* permuted samples that pawl may still take again */
};

struct pawl_checked_request {
  struct pawl_block_run *run;
  struct pawl_arm_run *arm;
  struct pawl_turn *turn;
  struct pawl_time_request request; /* samples is 0 if the arm ended before the request */
  bool verify;                      /* compares the outputs of its last calls with the oracle */
  bool pairs;                       /* pairs of calls on usual and fresh inputs follow it */
  /* Only of permuted calls: */
  bool permuted;
  bool charge;     /* a sample whose beginning pawl missed counts, with the longest possible time */
  int compare_set; /* the set whose outputs pawl compares; -1: none */
  struct pawl_permutation permutation;
};
