/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/rules.h"

#include "base/count.h"

const struct pawl_rule pawl_rules[] = {
#define RULE(NAME, ID, KIND, TITLE, SOURCE, THRESHOLD, REMEDY) \
  {ID, PAWL_FINDING_##KIND, TITLE, SOURCE, THRESHOLD, REMEDY, pawl_rule_##NAME, PAWL_COUNTERS},
#define BOUND(UNIT, ID, TITLE, SOURCE, THRESHOLD, REMEDY) \
  {ID, PAWL_FINDING_BOUND, TITLE, SOURCE, THRESHOLD, REMEDY, pawl_rule_bound, PAWL_COUNTER_##UNIT},
#include "profile/rules.inc"
#undef BOUND
#undef RULE
};
const size_t pawl_rule_count = PAWL_COUNT(pawl_rules);
