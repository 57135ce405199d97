/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the times of a kernel are the times of its work. A kernel can patch the clock, store
   results, compute ahead, write outputs late or write to another arm's memory. Each file of this
   folder finds one of these. A kernel that fails a check ends its arm as WRONG; a failed check is
   never an error. docs/adr/watched-calls.md explains the checks. */
#pragma once

#include "measure/integrity/checked_request.h"

/* Draws, for all arms of a block that is about to be timed, when each check happens. The operating
   system's random numbers decide, so no kernel can foresee it. */
pawl_status pawl_integrity_draw(struct pawl_block_run *run, struct pawl_error *err);

/* Makes the next request of the turn in checked->request. It shortens the request where a check is
   due behind it, restores the inouts and, for some arms, permutes the inputs. The arm may have
   ended afterwards; then there is nothing to request, but pawl_integrity_after() must follow. */
pawl_status pawl_integrity_before(struct pawl_checked_request *checked, struct pawl_block_run *run,
                                  struct pawl_arm_run *arm, struct pawl_turn *turn,
                                  struct pawl_error *err);

/* Checks the reply, keeps its samples in the arm, takes back what pawl_integrity_before() changed,
   and makes the checks that are due. `status` is that of the request. */
pawl_status pawl_integrity_after(struct pawl_checked_request *checked, enum pawl_status_code status,
                                 struct pawl_time_reply *reply, struct pawl_error *err);

/* Makes the checks that follow the last samples of the block. It lengthens the samples of an arm
   whose calls certainly take longer on fresh inputs. */
pawl_status pawl_integrity_end(struct pawl_block_run *run, struct pawl_error *err);
