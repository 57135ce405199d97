/* SPDX-License-Identifier: Apache-2.0 */
#include "check/base_support.h"

#define BASE_FAILURES 3 /* then pawl asks the base no more */

void pawl_base_support_release(struct pawl_base_support *base) {
  if (base) pawl_check_subject_release(&base->subject);
}

/* Looks for the base's kernel at the first refusal, because most checks have none. */
static bool has_base(struct pawl_base_support *base) {
  const struct pawl_check_options *options = base->options;
  if (base->asked) return !base->gone;
  base->asked = true;
  const struct pawl_worker_options *worker = options->base ? options->base(options->context) : NULL;
  base->gone = !worker;
  if (base->gone) return false;
  base->own = *options;
  base->own.worker = worker;
  base->own.shutdown = NULL;
  base->own.says_wrong = false;
  base->subject = (struct pawl_check_subject){.options = &base->own, .arena = base->arena};
  return true;
}

/* A base that cannot start, or that fails again and again, answers no more. */
static void leave_base(struct pawl_base_support *base, bool started, const char *why) {
  if (started && ++base->failures < BASE_FAILURES) return;
  base->gone = true;
  base->unasked = pawl_arena_copy(base->arena, why);
}

pawl_status pawl_base_support_judge(struct pawl_base_support *base,
                                    const struct pawl_check_item *item, struct pawl_check_row *row,
                                    struct pawl_error *err) {
  const struct pawl_check_matrix *promised = base->options->promised;
  struct pawl_error why = {0};
  if (row->outcome != PAWL_OUTCOME_UNSUPPORTED) return PAWL_OK;
  if (promised && !pawl_check_matrix_has(promised, &item->config)) return PAWL_OK;
  if (!has_base(base)) return PAWL_OK;
  struct pawl_check_row theirs = *row;
  theirs.reason = NULL;
  const enum pawl_status_code status = pawl_check_row_run(&base->subject, item, &theirs, &why);
  const bool started = status == PAWL_OK;
  if (!started && status != PAWL_UNAVAILABLE) {
    if (err) *err = why;
    return status;
  }
  if (started && theirs.outcome == PAWL_OUTCOME_UNSUPPORTED) return PAWL_OK;
  if (!started || theirs.outcome != PAWL_OUTCOME_OK) {
    leave_base(base, started, started ? theirs.reason : why.message);
    return PAWL_OK;
  }
  base->failures = 0;
  row->outcome = PAWL_OUTCOME_DROPPED;
  row->reason = pawl_arena_printf(
      base->arena, "the base takes this shape, and the kernel refuses it: %s", row->reason);
  return PAWL_OK;
}
