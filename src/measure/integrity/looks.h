/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at calls whose inputs come late. A kernel can notice a thread that reads the word of its
 * calls all the time, because its own access to that cache line is slow then, and it could tell
 * other times where nobody looks. So pawl looks at each call, but only after the time by which it
 * should have ended. Most honest calls have ended by then. */
#pragma once

#include "measure/block_run.h"

/* Returns the time after the begin of a call from which on pawl looks at it, in ns, or INT64_MAX if
 * the arm has no time yet. */
int64_t pawl_looks_from(const struct pawl_arm_run *arm);
/* Returns the time of the look behind the one after `elapsed_ns`. */
int64_t pawl_looks_next(int64_t elapsed_ns);
/* Notes a call: it took at least `least_ns` by pawl's clock (0: it had ended before a look), and
 * `seconds` by its worker's. */
void pawl_looks_note(struct pawl_arm_run *arm, int64_t least_ns, double seconds);
/* Ends the arm as wrong if its calls of this block took longer than it says. */
void pawl_looks_judge(struct pawl_block_run *run, struct pawl_arm_run *arm);

/* Returns whether the reported times are impossible. A thread can lose its CPU between a stamp and
 * its clock. Two calls of a request do not both lose it there, unless the thread waited for a CPU
 * that long, and an honest kernel does not lose it again and again: *suspicion counts that over the
 * requests of an arm, from 0 on. */
bool pawl_clock_is_impossible(const struct pawl_clock_facts *facts, int *suspicion);

/* Ends the arm as wrong: its worker claims `claimed_ns` for a call of at least `seen_ns`. */
void pawl_clock_give_up(struct pawl_block_run *run, struct pawl_arm_run *arm, double seen_ns,
                        double claimed_ns);
