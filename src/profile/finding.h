/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a kernel's counters find what limits it and what to try. Each rule is a row of
   rules.inc and a function of gpu_rules.c, gpu_work_rules.c or processor_rules.c. A rule finds
   nothing if its counters are unknown. */
#pragma once

#include <stdbool.h>

#include "profile/profile.h"

enum pawl_finding_kind {
  PAWL_FINDING_CAUSE,   /* a flaw of the code */
  PAWL_FINDING_LATENCY, /* no unit is busy: warps wait */
  PAWL_FINDING_BOUND,   /* a unit of the GPU is busy: the limit itself */
  PAWL_FINDING_NOTE     /* worth a look, seldom the reason */
};
const char *pawl_finding_kind_name(enum pawl_finding_kind kind);

#define PAWL_FINDING_TEXT 384
struct pawl_finding;
struct pawl_rule {
  const char *id;
  enum pawl_finding_kind kind;
  const char *title, *source, *threshold, *remedy;
  /* Writes the cost and the evidence. Returns false if the rule does not hold or its counters are
     unknown. */
  bool (*holds)(const struct pawl_profile_kernel *kernel, struct pawl_finding *finding);
  enum pawl_counter unit; /* the busy unit of a bound */
};
extern const struct pawl_rule pawl_rules[];
extern const size_t pawl_rule_count;

struct pawl_finding {
  const struct pawl_rule *rule;
  /* the share of the time at stake, 0..1; of a cause, the share that the remedy is expected to
     save; an estimate, no promise */
  double cost;
  char evidence[PAWL_FINDING_TEXT];
  const char *remedy; /* the rule's remedy, or a more precise one */
};

/* Appends to the finding's evidence. Rules call it. */
void pawl_finding_say(struct pawl_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A cause with a smaller share of the time is no headline. */
#define PAWL_FINDING_MATERIAL 0.15

/* Writes all findings and returns their number. Causes that cost at least PAWL_FINDING_MATERIAL
   come first, then latency and bounds, then all others. Each group is sorted by cost. `out` has
   room for pawl_rule_count. */
size_t pawl_findings(const struct pawl_profile_kernel *kernel, struct pawl_finding *out);
