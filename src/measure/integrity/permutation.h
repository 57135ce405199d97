/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the timed calls of one request. A call has new ones (oracle/renew.h), exchanged
 * elements, or the usual ones. A worker that can wait gets them
 * call by call, after the flush of the caches, while the kernel's other threads and processes are
 * frozen. So nothing can work on them before the clock runs. Another worker gets them all before
 * the request. The inputs stay in place until a request needs the usual ones. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_permutation {
  struct pawl_block_run *run;
  struct pawl_arm_run *arm;
  /* one call for each of `count` sets, from `first_set` on */
  int first_set, count;
  int noted; /* the set that pawl compares; -1: none */
  uint64_t seed;
  bool is_new[PAWL_MEASURE_SETS]; /* the call has new inputs */
  /* the other calls have their usual inputs, or those in place where pawl does not keep inputs */
  bool paired;
  bool may_exchange; /* the other calls of an unpaired request have exchanged elements */
  int drawn;         /* the last call whose new inputs are drawn, from 1 on */
  int given;         /* calls whose inputs are in place */
  bool failed;       /* then `err` says why pawl could not draw inputs */
  struct pawl_error err;
  /* The rest is for inputs that come late. */
  bool late;
  pawl_stamp *ready, *go, *stamp;
  uint32_t first_ready, first_stamp;
  /* the longest time that the kernel can have worked before each call began */
  int64_t ahead_ns[PAWL_MEASURE_SETS];
  /* from the change of the inputs until pawl saw the call begin */
  int64_t begun_ns[PAWL_MEASURE_SETS];
  bool with_call[PAWL_MEASURE_SETS]; /* this time includes the whole call */
  /* the looks at a call (looks.h): its begin, the time until the first look, and a lower bound of
     its duration (0: unknown) */
  int64_t saw_begin_ns, look_ns, least_ns[PAWL_MEASURE_SETS];
  int64_t waited_ns; /* for a CPU, at the begin of the request */
  struct pawl_freezable process;
  /* all other threads are frozen, and `clock` counts the CPU time of the first */
  bool has_clock;
  clockid_t clock;
  int newest_fd; /* the file with the number of the newest process */
  pthread_t thread;
  _Atomic bool stop;
};

/* Returns whether the inputs of this arm come call by call. */
bool pawl_permutation_is_late(const struct pawl_arm_run *arm);
/* Gives the inputs, or starts the thread that gives them call by call and sets request->late.
 * `is_new` says which calls have new inputs. Call it before the request. Fails with PAWL_FAILED
 * without random numbers or a thread, or if the operator failed. */
pawl_status pawl_permutation_begin(struct pawl_permutation *permutation, struct pawl_block_run *run,
                                   struct pawl_arm_run *arm, struct pawl_time_request *request,
                                   int noted, const bool *is_new, struct pawl_error *err);
/* Ends the thread. Call it after the request, whatever its status. */
void pawl_permutation_join(struct pawl_permutation *permutation);
/* Returns the failure of a draw in the thread. */
pawl_status pawl_permutation_failure(const struct pawl_permutation *permutation,
                                     struct pawl_error *err);
/* Judges an answered request. Returns false if a call did not wait for its inputs; the arm then
 * ended as wrong. */
bool pawl_permutation_judge(const struct pawl_permutation *permutation,
                            const struct pawl_time_reply *reply);
/* Removes calls that did not certainly begin at once on their inputs. With `charge` it keeps them
 * and adds the time that they can have worked before. Returns how many there are. added[i] is what
 * it added to the time of the i-th remaining call, is_new[i] whether that had new inputs. The
 * values of the removed calls follow there, for those that pawl makes in their place. */
size_t pawl_permutation_sift(const struct pawl_permutation *permutation, bool charge,
                             struct pawl_time_reply *reply, double *added, bool *is_new);
/* Ends the comparison with new inputs. */
void pawl_permutation_end(struct pawl_permutation *permutation);
