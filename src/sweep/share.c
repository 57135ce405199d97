/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/share.h"

#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "sweep/claims.h"
#include "sweep/open.h"
#include "sweep/turns.h"

#define EVALUATORS "evaluators" /* the folder of the evaluators' files, in that of the sweep */
#define MOST_LOST 2             /* evaluators that may fail on one point */

struct sweep_share {
  struct pawl_project *project;
  const struct pawl_sweep_options *options;
  struct pawl_pool pool;
  struct pawl_sweep *sweep;
  const char *journal;
  bool begun; /* an evaluator is ready, so the plan is known */
  int64_t begin_ns;
  struct pawl_sweep_turns turns;
  size_t *counts;            /* the blocks of each point */
  int *lost;                 /* the evaluators that each point lost */
  int64_t *sent_ns;          /* when each evaluator got its request */
  struct pawl_error failure; /* why the last evaluator cannot work */
};

/* --- evaluators --- */

static pawl_status sweep_read_plan(const struct sweep_share *share, const json_t *about,
                                   const char *name, struct pawl_sweep_plan *out,
                                   struct pawl_error *err) {
  const struct pawl_json_path path = {NULL, name, -1};
  pawl_struct_init(&pawl_sweep_plan_fields, out);
  return pawl_struct_read(&pawl_sweep_plan_fields, json_object_get(about, "plan"), &path,
                          &share->project->arena, out, err);
}

/* The first evaluator with the plan of the folder begins the sweep, so that time in a queue does
   not count for the budget. */
static pawl_status sweep_share_begin(struct sweep_share *share, const struct pawl_sweep_plan *plan,
                                     const char *opener, struct pawl_error *err) {
  struct pawl_arena *arena = &share->project->arena;
  struct pawl_sweep *sweep = share->sweep;
  PAWL_TRY(pawl_sweep_stays_apart(share->project, opener, share->options->folder, err));
  PAWL_TRY(pawl_sweep_open(share->options->folder, plan, arena, sweep, err));
  share->counts = pawl_arena_alloc(arena, plan->point_count + 1, sizeof *share->counts);
  share->lost = pawl_arena_alloc(arena, plan->point_count + 1, sizeof *share->lost);
  for (size_t i = 0; i < sweep->block_count; i++) share->counts[sweep->blocks[i].point]++;
  share->begun = true;
  share->begin_ns = pawl_clock_ns();
  return pawl_sweep_turns_init(&share->turns, sweep, arena, share->project->options.log, err);
}

/* An evaluator with another plan is dismissed: it has other hardware or another compiler. */
static pawl_status sweep_welcome(struct sweep_share *share, const struct pawl_pool_event *event,
                                 struct pawl_error *err) {
  struct pawl_sweep_plan plan;
  struct pawl_error *why = &share->failure;
  enum pawl_status_code status = sweep_read_plan(
      share, event->document, pawl_pool_line(&share->pool, event->member), &plan, why);
  if (status == PAWL_OK && !share->begun) {
    status = sweep_share_begin(share, &plan,
                               json_string_value(json_object_get(event->document, "opener")), why);
    if (status != PAWL_OK && status != PAWL_BAD_DATA)
      return pawl_fail(err, status, "%s", why->message);
  } else if (status == PAWL_OK) {
    status = pawl_sweep_same_plan(&share->sweep->plan, &plan, share->options->folder, why);
  }
  if (status == PAWL_OK) return PAWL_OK;
  pawl_log_warning(share->project->options.log, "evaluator %s takes no part: %s",
                   pawl_pool_name(&share->pool, event->member), why->message);
  pawl_pool_dismiss(&share->pool, event->member);
  return PAWL_OK;
}

/* --- visits --- */

/* Calls on a CPU are timed while no other evaluator of the machine works. */
static bool sweep_fits(const struct sweep_share *share, int member, size_t point) {
  const struct pawl_sweep_plan *plan = &share->sweep->plan;
  const struct pawl_pool_member *members = share->pool.members;
  for (int i = 0; i < share->pool.staff.count; i++) {
    if (!members[i].pending_count || !pawl_text_equal(members[i].node, members[member].node))
      continue;
    if (pawl_text_equal(plan->points[point].device, "cpu") ||
        pawl_text_equal(plan->points[members[i].pending[0].tag].device, "cpu"))
      return false;
  }
  return true;
}

static pawl_status sweep_send(struct sweep_share *share, int member, size_t point,
                              struct pawl_error *err) {
  json_t *request = json_object(), *blocks = json_array();
  for (size_t i = 0; i < share->sweep->block_count; i++)
    if (share->sweep->blocks[i].point == point)
      json_array_append_new(blocks,
                            pawl_struct_write(&pawl_sweep_block_fields, &share->sweep->blocks[i]));
  pawl_json_set_int(request, "visit", (long long)point);
  pawl_json_set(request, "blocks", blocks);
  share->turns.points[point].away = true;
  share->sent_ns[member] = pawl_clock_ns();
  pawl_sweep_turns_show(&share->turns, pawl_pool_left(&share->pool), point);
  return pawl_pool_send(&share->pool, member, request, point, err);
}

/* Gives each idle evaluator the first point of the round that fits. */
static pawl_status sweep_hand_out(struct sweep_share *share, struct pawl_error *err) {
  for (int i = 0; i < share->pool.staff.count; i++) {
    const struct pawl_pool_member *member = &share->pool.members[i];
    if (!member->ready || member->pending_count) continue;
    pawl_sweep_turns_deal(&share->turns);
    for (size_t k = 0; k < share->turns.count; k++) {
      if (!sweep_fits(share, i, share->turns.order[k])) continue;
      PAWL_TRY(sweep_send(share, i, pawl_sweep_turns_take(&share->turns, k), err));
      break;
    }
  }
  return PAWL_OK;
}

/* Adds the blocks of an answer to the sweep. Fails with PAWL_BAD_DATA if they cannot be right. */
static pawl_status sweep_read_answer(struct sweep_share *share, const struct pawl_pool_event *event,
                                     struct pawl_error *err) {
  struct pawl_sweep *sweep = share->sweep;
  const json_t *blocks = json_object_get(event->document, "blocks");
  const char *name = pawl_pool_line(&share->pool, event->member);
  const struct pawl_json_path path = {NULL, name, -1};
  size_t left;
  if (!json_array_size(blocks)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no block", name);
  for (size_t i = 0; i < json_array_size(blocks); i++) {
    PAWL_TRY(pawl_sweep_read_block(sweep, json_array_get(blocks, i), share->counts, &path,
                                   &share->project->arena, err));
    struct pawl_sweep_block *block = &sweep->blocks[sweep->block_count - 1];
    if (block->point != event->tag)
      return pawl_fail(err, PAWL_BAD_DATA, "%s: a block of point %zu in place of %zu", name,
                       block->point, event->tag);
    block->evaluator = pawl_pool_name(&share->pool, event->member);
  }
  return pawl_sweep_point_left(sweep, event->tag, &left, err);
}

static pawl_status sweep_take_answer(struct sweep_share *share, const struct pawl_pool_event *event,
                                     struct pawl_error *err) {
  struct pawl_sweep *sweep = share->sweep;
  const size_t before = sweep->block_count, counted = share->counts[event->tag];
  struct pawl_error wrong = {0};
  share->turns.points[event->tag].away = false;
  PAWL_ASSERT(!json_array_append(sweep->documents, event->document));
  if (sweep_read_answer(share, event, &wrong) != PAWL_OK) {
    while (sweep->block_count > before) share->counts[sweep->blocks[--sweep->block_count].point]--;
    PAWL_ASSERT(share->counts[event->tag] == counted);
    pawl_pool_distrust(&share->pool, event->member, wrong.message);
    return PAWL_OK;
  }
  for (size_t i = before; i < sweep->block_count; i++) {
    PAWL_CLEANUP(pawl_json_release)
    json_t *line = pawl_struct_write(&pawl_sweep_block_fields, &sweep->blocks[i]);
    PAWL_TRY(pawl_ndjson_append(share->journal, line, err));
  }
  return pawl_sweep_turns_note(&share->turns, event->tag, sweep->block_count - before,
                               pawl_seconds_since(share->sent_ns[event->member]), err);
}

/* A point that costs one evaluator after the other must not cost all of them. */
static void sweep_take_loss(struct sweep_share *share, const struct pawl_pool_event *event) {
  struct pawl_sweep_turn *turn = &share->turns.points[event->tag];
  turn->away = event->taken && ++share->lost[event->tag] >= MOST_LOST;
  if (turn->away)
    pawl_log_warning(share->project->options.log,
                     "%d evaluators were lost while they measured %s, so this command leaves it; "
                     "the same command goes on with it",
                     MOST_LOST, share->sweep->plan.points[event->tag].case_name);
}

static pawl_status sweep_listen(struct sweep_share *share, struct pawl_error *err) {
  struct pawl_pool_event event;
  PAWL_TRY(pawl_pool_next(&share->pool, &event, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = event.document;
  (void)document; /* for clang, its release is no use */
  if (event.news == PAWL_POOL_READY) PAWL_TRY(sweep_welcome(share, &event, err));
  if (event.news == PAWL_POOL_ANSWER) PAWL_TRY(sweep_take_answer(share, &event, err));
  if (event.news == PAWL_POOL_LOST) sweep_take_loss(share, &event);
  if (event.news == PAWL_POOL_FAILED)
    pawl_fail(&share->failure, (enum pawl_status_code)event.status, "evaluator %s: %s",
              pawl_pool_name(&share->pool, event.member), event.reason);
  if (event.news != PAWL_POOL_NOTHING || pawl_pool_left(&share->pool)) return PAWL_OK;
  return pawl_pool_fail_empty(&share->pool, &share->failure, err);
}

/* --- the sweep --- */

static bool sweep_share_is_over(const struct sweep_share *share) {
  const double budget = share->options->budget_seconds;
  return pawl_budget_is_over() ||
         (share->begun && budget > 0 && pawl_seconds_since(share->begin_ns) > budget);
}

static size_t sweep_count_pending(const struct sweep_share *share) {
  size_t count = 0;
  for (int i = 0; i < share->pool.staff.count; i++) count += share->pool.members[i].pending_count;
  return count;
}

/* Visits that have begun end before the command does. */
static pawl_status sweep_share_out(struct sweep_share *share, struct pawl_error *err) {
  for (;;) {
    const bool over = sweep_share_is_over(share);
    if (over && !share->begun)
      return pawl_fail(err, PAWL_TRY_AGAIN,
                       "the sweep was stopped before an evaluator was ready; %s",
                       share->pool.staff.goes_on);
    if (over) PAWL_TRY(pawl_pool_withdraw(&share->pool, err));
    if (!over && share->begun) PAWL_TRY(sweep_hand_out(share, err));
    if (share->begun && !sweep_count_pending(share) && (over || !share->turns.count))
      return PAWL_OK;
    PAWL_TRY(sweep_listen(share, err));
  }
}

pawl_status pawl_sweep_share(struct pawl_project *project, const struct pawl_sweep_options *options,
                             const struct pawl_pool_plan *plan, struct pawl_sweep *sweep,
                             struct pawl_error *err) {
  struct pawl_arena *arena = &project->arena;
  struct sweep_share *share = pawl_arena_alloc(arena, 1, sizeof *share);
  *share = (struct sweep_share){
      .project = project,
      .options = options,
      .sweep = sweep,
      .journal = pawl_arena_printf(arena, "%s/" PAWL_SWEEP_JOURNAL, options->folder),
      .sent_ns = pawl_arena_alloc(arena, (size_t)plan->evaluators, sizeof *share->sent_ns)};
  const char *folder = pawl_arena_printf(arena, "%s/" EVALUATORS, options->folder);
  enum pawl_status_code status =
      pawl_pool_start(&share->pool, plan, folder, arena, project->options.log, err);
  if (status == PAWL_OK) status = sweep_share_out(share, err);
  pawl_progress_end(project->options.log);
  pawl_pool_end(&share->pool);
  return status == PAWL_OK ? pawl_remove_tree(folder, err) : status;
}
