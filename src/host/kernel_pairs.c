/* SPDX-License-Identifier: Apache-2.0 */
#include "host/kernel_pairs.h"

#include <math.h>

#include "base/entropy.h"
#include "host/late_inputs.h"
#include "model/dtype.h"

#define MAX_REPETITIONS 16 /* for a sample in which the device waited for the host */

struct pair {
  struct host_set *set;
  int number; /* the set's number */
  bool drawn; /* the order of the two calls is drawn */
  bool unseen_first;
  bool looked;                  /* pawl wants to see its unseen call */
  struct host_timing timing[2]; /* seen, unseen */
  char hash[2][PAWL_HASH_TEXT];
};

/* Lets the device exchange elements of the inputs as late as it can, or rewrite them. Returns false
   if it cannot. */
static bool plan_exchange(const struct host_kernel *host, const struct host_set *set, bool swap) {
  struct host_elements inputs[PAWL_MAX_TENSORS];
  int count = 0;
  if (!host->device->exchange) return false;
  for (int t = 0; t < set->placed.count; t++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[t];
    if (placed->spec.role != PAWL_IN) continue;
    const uint64_t size = pawl_dtype_size(placed->spec.dtype);
    inputs[count++] = (struct host_elements){set->tensors[t].data, placed->bytes / size, size};
  }
  return host->device->exchange(host->device_state, inputs, count, swap);
}

/* Loads the inputs that pawl gives. Besides, a few elements change places behind the flush, before
   the call on unseen inputs. Before the other call they are rewritten, so that both calls find the
   caches in the same state. Where the device cannot do it, work beside the stream has time to read
   the inputs. */
static pawl_status change_inputs(struct host_kernel *host, struct host_time_plan *plan,
                                 struct host_set *set, bool unseen, struct pawl_error *err) {
  if (plan->given) PAWL_TRY(host_kernel_upload(host, set, false, err));
  plan->early = plan->exchange && !plan_exchange(host, set, unseen);
  return PAWL_OK;
}

/* Draws the order after the launch is recorded, when no code of the kernel runs any more. */
static pawl_status draw(struct pair *pair, struct pawl_error *err) {
  unsigned char bit;
  if (pair->drawn) return PAWL_OK;
  PAWL_TRY(pawl_entropy(&bit, sizeof bit, err));
  pair->unseen_first = bit & 1;
  pair->drawn = true;
  return PAWL_OK;
}

static pawl_status take_back(struct host_kernel *host, const struct host_time_plan *plan,
                             const struct pair *pair, struct pawl_error *err) {
  if (plan->given) return host_kernel_upload(host, pair->set, false, err);
  return plan->early || !plan->exchange ? PAWL_OK
                                        : host->device->take_back(host->device_state, err);
}

/* Work that was enqueued before the freeze has ended after the flush. */
static pawl_status flush_and_call(struct host_kernel *host, struct host_time_plan *plan,
                                  struct pair *pair, bool unseen, struct pawl_error *err) {
  if (host->device->drain) PAWL_TRY(host->device->drain(host->device_state, err));
  PAWL_TRY(change_inputs(host, plan, pair->set, unseen, err));
  PAWL_TRY(host_time_reset(host, pair->set, plan, plan->cold, err));
  return host_kernel_call(host, pair->set, 1, NULL, &pair->timing[unseen], err);
}

/* Makes the second or the first call of a pair. A recorded launch serves one call. */
static pawl_status kernel_pairs_call_once(struct host_kernel *host, struct host_time_plan *plan,
                                          struct pair *pair, bool second, struct pawl_error *err) {
  pawl_stamp *page = plan->held ? (pawl_stamp *)(void *)host->mapping.data : NULL;
  for (;;) {
    PAWL_TRY(host_kernel_record(host, pair->set, 1, NULL, err));
    PAWL_TRY(draw(pair, err));
    const bool unseen = pair->unseen_first != second;
    if (page) host_await_freeze(page, pair->number, unseen);
    PAWL_TRY(flush_and_call(host, plan, pair, unseen, err));
    const bool shown = unseen && pair->looked;
    if (shown) PAWL_TRY(host_kernel_download(host, pair->set, err));
    if (shown) plan->looked_set = pair->number;
    if (!page || !host_end_hold(page, shown)) return PAWL_OK;
    if (unseen) PAWL_TRY(take_back(host, plan, pair, err));
  }
}

static pawl_status call_repeatedly(struct host_kernel *host, struct host_time_plan *plan,
                                   struct pair *pair, bool second, struct pawl_error *err) {
  PAWL_TRY(kernel_pairs_call_once(host, plan, pair, second, err));
  const bool unseen = pair->unseen_first != second;
  const struct host_timing *timing = &pair->timing[unseen];
  for (int i = 0; i < MAX_REPETITIONS && timing->waited && timing->can_help; i++) {
    plan->repeated++;
    if (unseen) PAWL_TRY(take_back(host, plan, pair, err));
    PAWL_TRY(kernel_pairs_call_once(host, plan, pair, second, err));
  }
  return PAWL_OK;
}

static pawl_status take_one(struct host_kernel *host, struct host_time_plan *plan,
                            struct pair *pair, bool second, struct pawl_error *err) {
  const bool stamps = host->device->stamp && host->mapping.size >= PAWL_STAMP_BYTES;
  if (stamps)
    host->device->stamp(host->device_state, (pawl_stamp *)(void *)host->mapping.data,
                        HOST_NOT_LATE);
  const enum pawl_status_code status = call_repeatedly(host, plan, pair, second, err);
  if (stamps) host->device->stamp(host->device_state, NULL, HOST_NOT_LATE);
  if (status != PAWL_OK) return status;
  const bool unseen = pair->unseen_first != second;
  PAWL_TRY(host_time_hash(host, pair->set, plan, pair->hash[unseen], err));
  return unseen ? take_back(host, plan, pair, err) : PAWL_OK;
}

/* Makes a call on the usual inputs, so that a stored result of the kernel is the usual one
   again. */
static pawl_status call_usual(struct host_kernel *host, struct host_time_plan *plan,
                              struct host_set *set, struct pawl_error *err) {
  struct host_timing timing;
  PAWL_TRY(host_kernel_record(host, set, 1, NULL, err));
  PAWL_TRY(host_time_reset(host, set, plan, host_time_warms_up_cold(host, plan), err));
  return host_kernel_call(host, set, 1, NULL, &timing, err);
}

static void add(const struct pair *pair, struct host_sample_lists *lists) {
  for (int unseen = 0; unseen < 2; unseen++) {
    json_array_append_new(lists->ns, json_real(fmax(pair->timing[unseen].ns, 0.5)));
    json_array_append_new(lists->hashes, json_string(pair->hash[unseen]));
    json_array_append_new(lists->waited, json_boolean(pair->timing[unseen].waited));
  }
}

/* Takes one pair on each of `count` sets. */
static pawl_status take_round(struct host_kernel *host, struct host_time_plan *plan,
                              long long first, int count, struct pair *pairs,
                              struct host_sample_lists *lists, struct pawl_error *err) {
  for (int i = 0; i < count; i++) {
    struct host_set *set = host_time_rotate(host, plan, i);
    pairs[i] = (struct pair){
        .set = set, .number = (int)(set - host->sets), .looked = first + i == plan->look};
  }
  for (int second = 0; second < 2; second++) {
    for (int i = 0; i < count; i++) PAWL_TRY(take_one(host, plan, &pairs[i], second, err));
    for (int i = 0; i < count; i++) PAWL_TRY(call_usual(host, plan, pairs[i].set, err));
  }
  for (int i = 0; i < count; i++) add(&pairs[i], lists);
  return PAWL_OK;
}

pawl_status host_pairs_take(struct host_kernel *host, struct host_time_plan *plan,
                            struct host_sample_lists *lists, struct pawl_error *err) {
  const long long wanted = plan->samples / 2;
  struct pair *pairs = pawl_alloc((size_t)host->set_count, sizeof *pairs);
  enum pawl_status_code status = PAWL_OK;
  for (long long taken = 0; taken < wanted && status == PAWL_OK;) {
    const int count = wanted - taken < host->set_count ? (int)(wanted - taken) : host->set_count;
    status = take_round(host, plan, taken, count, pairs, lists, err);
    taken += count;
  }
  pawl_free(pairs);
  return status;
}
