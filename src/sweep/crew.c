/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/crew.h"

#include <string.h>

#include "base/philox.h"

#define STREAM_STARTS 0x737461727473u /* a stream of the sweep's seed */
#define SHARE_OF_MEMORY 0.85

/* The process that starts first has another place in memory than the others. The blocks that count
   come in pairs, and the second one has the reverse order: each arm then starts as often before
   each other arm as after it. */
void pawl_sweep_draw_starts(const struct pawl_sweep_plan *plan, size_t counted, int arm_count,
                            int starts[PAWL_MAX_ARMS]) {
  struct pawl_random random = pawl_random_init(plan->seed + counted / 2, STREAM_STARTS);
  int order[PAWL_MAX_ARMS];
  pawl_random_order(&random, arm_count, order);
  for (int i = 0; i < arm_count; i++) starts[i] = order[counted % 2 ? arm_count - 1 - i : i];
}

void pawl_sweep_crew_leave_out(struct pawl_sweep_crew *crew, int arm,
                               struct pawl_shutdown *shutdown) {
  struct pawl_block_processes *processes = &crew->processes;
  if (processes->workers[arm]) pawl_shutdown_add(shutdown, processes->workers[arm]);
  processes->workers[arm] = NULL;
  processes->prepared[arm] = NULL;
  processes->served[arm] = false;
}

static void crews_keep(struct pawl_sweep_crews *crews, size_t count,
                       struct pawl_shutdown *shutdown) {
  while (crews->count > count) {
    struct pawl_sweep_crew *crew = &crews->items[--crews->count];
    for (int arm = 0; arm < PAWL_MAX_ARMS; arm++) pawl_sweep_crew_leave_out(crew, arm, shutdown);
  }
}

void pawl_sweep_crews_dismiss(struct pawl_sweep_crews *crews, struct pawl_shutdown *shutdown) {
  crews_keep(crews, 0, shutdown);
}

/* Returns how many crews may exist at once, of `wanted`. While one works the others stand still, so
   they may have more processes than the machine has CPUs, and most of the device's memory. Fewer
   crews than wanted are pairs, for their orders. */
static size_t crews_room(const struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call,
                         size_t wanted) {
  const int most = 3 * pawl_ahead_limit(call->device, 0);
  if (most <= 3) return 0;
  const size_t arms = (size_t)call->arm_count;
  const double memory = SHARE_OF_MEMORY * (double)call->device->memory_bytes,
               bytes = (double)(arms * pawl_ahead_bytes(call->device, call->problem)) +
                       (double)crews->own_bytes;
  size_t room = (size_t)most / arms;
  while (room && (double)room * bytes > memory) room--;
  return room >= wanted ? room : room / 2 * 2;
}

/* No process measures a shape twice: blocks are the unit of replication. */
static bool crews_fit(const struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call) {
  const struct pawl_sweep_point *points = call->plan->points;
  return !crews->served[call->point] && crews->counted == call->counted &&
         pawl_text_equal(points[crews->first].operator_name, points[call->point].operator_name) &&
         pawl_text_equal(points[crews->first].device, points[call->point].device);
}

static void crews_add(struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call) {
  struct pawl_sweep_crew *crew = &crews->items[crews->count];
  *crew = (struct pawl_sweep_crew){0};
  pawl_sweep_draw_starts(call->plan, call->counted + crews->count, call->arm_count, crew->starts);
  crews->count++;
}

/* Launches the crews' missing processes and lets threads make them ready. */
static void crews_start(struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call,
                        size_t count) {
  struct pawl_starting_block blocks[PAWL_SWEEP_MOST_CREWS];
  for (size_t i = 0; i < count; i++) {
    struct pawl_sweep_crew *crew = &crews->items[i];
    for (int arm = 0; arm < call->arm_count; arm++)
      if (!call->workers[arm]) pawl_sweep_crew_leave_out(crew, arm, call->shutdown);
    blocks[i] = (struct pawl_starting_block){
        .processes = &crew->processes, .first_arm = crew->starts[0], .start_order = crew->starts};
  }
  crews->starting =
      pawl_ahead_begin(call->problem, call->workers, call->arm_count, call->threads, blocks, count);
}

size_t pawl_sweep_crews_call(struct pawl_sweep_crews *crews, const struct pawl_sweep_call *call,
                             size_t wanted) {
  const size_t room = crews_room(crews, call, wanted), most = wanted < room ? wanted : room;
  crews_keep(crews, crews->count && crews_fit(crews, call) ? room : 0, call->shutdown);
  pawl_shutdown_end(call->shutdown);
  if (!crews->count) {
    memset(crews->served, 0, call->plan->point_count * sizeof *crews->served);
    crews->first = call->point;
    crews->counted = call->counted;
  }
  while (crews->count < most) crews_add(crews, call);
  crews->served[call->point] = true;
  /* another problem may be at the same address now; crews beyond `most` serve a visit that wants
     more blocks later */
  for (size_t i = 0; i < crews->count; i++)
    memset(crews->items[i].processes.prepared, 0, sizeof crews->items[i].processes.prepared);
  if (most) crews_start(crews, call, most);
  return most;
}

struct pawl_sweep_crew *pawl_sweep_crews_await(struct pawl_sweep_crews *crews, size_t n) {
  if (n >= crews->count) return NULL;
  if (crews->starting) pawl_starting_await(crews->starting, &crews->items[n].processes);
  return &crews->items[n];
}

void pawl_sweep_crews_settle(struct pawl_sweep_crews *crews, bool now) {
  (now ? pawl_starting_stop : pawl_starting_end)(crews->starting);
  crews->starting = NULL;
}
