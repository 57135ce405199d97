/* SPDX-License-Identifier: Apache-2.0 */
#include "host/batch.h"

#include <math.h>

#include "base/entropy.h"
#include "host/poison.h"

/* large against two events and a launch, about 5 us, and against a first call on other data */
#define MIN_SAMPLE_NS 1e6
#define MAX_CALLS 1000
#define MAX_GATED_CALLS 100 /* the most calls that a worker enqueues behind a closed gate */
#define MAX_RECORD_NS 2e8
#define FIRST_CHECK_WITHIN 4 /* samples */
#define NEXT_CHECK_WITHIN 20
#define CHECKED_BATCHES 4

/* Returns whether no host code of the kernel runs between the calls of a batch. */
static bool replays(const struct host_kernel *host) {
  return !host->device->replays || host->device->replays(host->device_state);
}

/* One call more or less changes nothing, because the fixed cost of a sample is small. */
int host_batch_size(const struct host_kernel *host, double call_ns, double record_ns) {
  const double limit = replays(host) ? MAX_CALLS : MAX_GATED_CALLS,
               needed = ceil(MIN_SAMPLE_NS / call_ns);
  return (int)fmax(fmin(fmin(needed, limit), MAX_RECORD_NS / record_ns), 1);
}

/* Draws the sample before which pawl checks a batch (poison.h), so that no kernel can foresee it.
   The first check comes within the first few samples of a process, later checks at random
   distances. */
static pawl_status draw_check(struct host_kernel *host, uint32_t within, struct pawl_error *err) {
  uint32_t random;
  PAWL_TRY(pawl_entropy(&random, sizeof random, err));
  host->until_check = (int)(random % within);
  return PAWL_OK;
}

/* Makes untimed calls in the same way as timed calls. */
static pawl_status make_untimed(struct host_kernel *host, const struct host_time_plan *plan,
                                struct host_set *set, int calls, const struct host_poisons *poisons,
                                struct pawl_error *err) {
  struct host_timing timing;
  PAWL_TRY(host_kernel_record(host, set, calls, poisons, err));
  PAWL_TRY(host_time_reset(host, set, plan, plan->cold, err));
  return host_kernel_call(host, set, calls, poisons, &timing, err);
}

pawl_status host_batch_check(struct host_kernel *host, struct host_time_plan *plan,
                             struct host_set *set, struct pawl_error *err) {
  if (!replays(host)) return PAWL_OK;
  if (host->until_check < 0) PAWL_TRY(draw_check(host, FIRST_CHECK_WITHIN, err));
  if (host->until_check-- > 0) return PAWL_OK;
  PAWL_TRY(draw_check(host, NEXT_CHECK_WITHIN, err));
  PAWL_TRY(make_untimed(host, plan, set, plan->calls, NULL, err));
  for (int i = 0; i < CHECKED_BATCHES; i++) {
    struct host_poisons poisons;
    int calls;
    PAWL_TRY(host_poisons_draw(host, set, plan->calls, &calls, &poisons, err));
    PAWL_TRY(make_untimed(host, plan, set, calls, &poisons, err));
    PAWL_TRY(host_poisons_check(host, &poisons, &plan->left_out, err));
  }
  return PAWL_OK;
}
