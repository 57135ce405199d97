/* SPDX-License-Identifier: Apache-2.0 */
/* The gate section of a suite: which change is a regression, and how sure the gate must be. */
#pragma once

/* REPEAT or COUNT a block during which other processes used the CPUs. A counted block adds noise,
 * but the promises hold. */
enum pawl_busy { PAWL_BUSY_REPEAT = 1, PAWL_BUSY_COUNT };
/* Where to commit the result of `baseline accept`. */
enum pawl_accept { PAWL_ACCEPT_MAIN_ONLY = 1, PAWL_ACCEPT_PULL_REQUEST };
/* The effect of machine code over a limit, where no GPU can time it. */
enum pawl_static { PAWL_STATIC_WARN = 1, PAWL_STATIC_FAIL };
/* The error that `false_alarm` bounds: the chance of any false change in the run, or the expected
 * share of false ones among the changes. */
enum pawl_control { PAWL_CONTROL_FAMILYWISE = 1, PAWL_CONTROL_FDR };
enum pawl_inconclusive { PAWL_INCONCLUSIVE_WARN = 1, PAWL_INCONCLUSIVE_FAIL };

/* The keys that `limits` can set for some rows alone. */
enum pawl_limit {
  PAWL_LIMIT_TOLERATE,
  PAWL_LIMIT_DETECT,
  PAWL_LIMIT_IMPROVE,
  PAWL_LIMIT_INCONCLUSIVE,
  PAWL_LIMIT_STATIC,
  PAWL_LIMITS
};

/* Fractions: a tolerate of 0.01 is 1 %. */
struct pawl_gate_spec {
  double tolerate, detect, improve, false_alarm, miss;
  /* how far two runs of the same code differ on this machine; 0: unknown */
  double between_runs;
  int max_blocks;
  enum pawl_busy busy;
  enum pawl_accept accept;
  enum pawl_control control;
  enum pawl_inconclusive inconclusive;
  enum pawl_static static_code;
  /* a limit of static_code: an occupancy below it that was higher; 0: none */
  double static_occupancy;
  int lines[PAWL_LIMITS];              /* the line of pawl.yaml that sets it; 0: the default */
  const struct pawl_gate_rules *rules; /* `limits`; NULL: none */
};
