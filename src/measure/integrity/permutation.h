/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the timed calls of one request, varied by a seed and later taken back. A worker
   that can wait gets them call by call, after it has flushed the caches, while the kernel's other
   threads and processes are held: nobody can work on them before the clock runs. Another one gets
   them all before the request. */
#ifndef PAWL_MEASURE_INTEGRITY_PERMUTATION_H
#define PAWL_MEASURE_INTEGRITY_PERMUTATION_H

#include <pthread.h>
#include <stdatomic.h>

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_permutation {
  struct pawl_block_run *run;
  struct pawl_arm_run *arm;
  int first_set, count;           /* a call of each of so many sets, from this one on */
  int noted;                      /* the set that is to be compared; -1: none */
  struct pawl_noted_inputs usual; /* of that set */
  uint64_t seed;
  int given; /* calls whose inputs were changed */
  /* Of inputs that come late: */
  bool late;
  pawl_stamp *ready, *go, *stamp;
  uint32_t first_ready, first_stamp;
  int64_t ahead_ns[PAWL_MEASURE_SETS]; /* for so long, at most, a kernel can have worked before its
                                          call began */
  int64_t begun_ns[PAWL_MEASURE_SETS]; /* from the change until pawl saw the call begin, whoever had
                                          the CPU */
  bool with_call[PAWL_MEASURE_SETS];   /* that time has the whole call in it */
  struct pawl_freezable process;
  bool has_clock; /* all that the kernel could work with is held, and `clock` counts the CPU time of
                     the rest */
  clockid_t clock;
  int newest_fd; /* of the number of the newest process */
  pthread_t thread;
  _Atomic bool stop;
};

/* Before the request, of which `late` is set where the inputs come late. */
pawl_status pawl_permutation_begin(struct pawl_permutation *permutation, struct pawl_block_run *run,
                                   struct pawl_arm_run *arm, struct pawl_time_request *request,
                                   int noted, struct pawl_error *err);
/* After it, whatever came of it: from here on nothing changes until the end. */
void pawl_permutation_join(struct pawl_permutation *permutation);
/* Where the request was answered. False: something else than the worker took its turns; the arm has
 * ended as wrong. */
bool pawl_permutation_judge(const struct pawl_permutation *permutation);
/* Leaves calls out of which pawl did not see for certain that they began promptly on their inputs;
   or, to `charge`, adds to their times how long they can have worked before. Returns how many these
   are. `added`: of each call that is left, what was added to its time. */
size_t pawl_permutation_sift(const struct pawl_permutation *permutation, bool charge,
                             struct pawl_time_reply *reply, double *added);
/* The inputs are as before. */
void pawl_permutation_end(struct pawl_permutation *permutation);

#endif
