/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict.h"

static const struct {
  const char *name, *total_word;
  int precedence;
  enum pawl_status_code status;
  bool quiet, from_times, no_judgement, no_time;
} verdicts[PAWL_VERDICTS] = {
    [PAWL_VERDICT_DROPPED] = {"dropped", "dropped", 0, PAWL_FAILED, .no_time = true},
    [PAWL_VERDICT_BROKEN] = {"broken", "broken", 1, PAWL_FAILED, .no_time = true},
    [PAWL_VERDICT_REGRESSION] = {"regression", "slower", 2, PAWL_FAILED, .from_times = true},
    [PAWL_VERDICT_WORSE_CODE] = {"worse code", "worse code", 3, PAWL_FAILED, .no_time = true},
    [PAWL_VERDICT_MISSING] = {"missing", "missing", 4, PAWL_FAILED, .no_time = true},
    [PAWL_VERDICT_INCONCLUSIVE] = {"inconclusive", "inconclusive", 5, PAWL_UNDECIDED,
                                   .no_judgement = true},
    [PAWL_VERDICT_NEEDS_GPU] = {"needs a GPU", "for a GPU", 6, PAWL_UNDECIDED,
                                .no_judgement = true},
    [PAWL_VERDICT_ACCEPTED] = {"accepted", "accepted", 7, PAWL_OK, .from_times = true},
    [PAWL_VERDICT_IMPROVEMENT] = {"improvement", "faster", 8, PAWL_OK, .from_times = true},
    [PAWL_VERDICT_NEW] = {"new", "new", 9, PAWL_UNDECIDED},
    [PAWL_VERDICT_MAINTAINED] = {"maintained", "unchanged", 10, PAWL_OK, .quiet = true,
                                 .from_times = true},
    [PAWL_VERDICT_NO_DIFFERENCE] = {"no significant difference", "unchanged", 10, PAWL_UNDECIDED,
                                    .quiet = true, .from_times = true},
    [PAWL_VERDICT_UNSUPPORTED] = {"unsupported", "unsupported", 11, PAWL_OK, .quiet = true,
                                  .no_judgement = true},
};

const char *pawl_verdict_name(enum pawl_verdict verdict) { return verdicts[verdict].name; }

const char *pawl_verdict_total_word(enum pawl_verdict verdict) {
  return verdicts[verdict].total_word;
}

int pawl_verdict_precedence(enum pawl_verdict verdict) { return verdicts[verdict].precedence; }

enum pawl_status_code pawl_verdict_status(enum pawl_verdict verdict) {
  return verdicts[verdict].status;
}

bool pawl_verdict_fails(enum pawl_verdict verdict) {
  return verdicts[verdict].status == PAWL_FAILED;
}

bool pawl_verdict_is_quiet(enum pawl_verdict verdict) { return verdicts[verdict].quiet; }

bool pawl_verdict_is_from_times(enum pawl_verdict verdict) { return verdicts[verdict].from_times; }

bool pawl_verdict_is_no_judgement(enum pawl_verdict verdict) {
  return verdicts[verdict].no_judgement;
}

bool pawl_verdict_has_no_time(enum pawl_verdict verdict) { return verdicts[verdict].no_time; }

enum pawl_status_code pawl_worse_status(enum pawl_status_code a, enum pawl_status_code b) {
  if (a == PAWL_FAILED || b == PAWL_FAILED) return PAWL_FAILED;
  if (a == PAWL_UNAVAILABLE || b == PAWL_UNAVAILABLE) return PAWL_UNAVAILABLE;
  return a == PAWL_UNDECIDED || b == PAWL_UNDECIDED ? PAWL_UNDECIDED : PAWL_OK;
}
