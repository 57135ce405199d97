/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEGLIGIBLE 0.02 /* a smaller cost is no finding */

void pawl_finding_say(struct pawl_finding *finding, const char *format, ...) {
  const size_t used = strlen(finding->evidence);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->evidence + used, sizeof finding->evidence - used, format, arguments);
  va_end(arguments);
}

const char *pawl_finding_kind_name(enum pawl_finding_kind kind) {
  static const char *const names[] = {"cause", "latency", "bound", "note"};
  return names[kind];
}

/* 0: a cause that matters, 1: the limit, 2: all others. */
static int finding_rank(const struct pawl_finding *finding) {
  if (finding->rule->kind == PAWL_FINDING_CAUSE)
    return finding->cost >= PAWL_FINDING_MATERIAL ? 0 : 2;
  return finding->rule->kind == PAWL_FINDING_NOTE ? 2 : 1;
}

static int by_importance(const void *a, const void *b) {
  const struct pawl_finding *left = a, *right = b;
  if (finding_rank(left) != finding_rank(right)) return finding_rank(left) - finding_rank(right);
  if (left->cost != right->cost) return left->cost > right->cost ? -1 : 1;
  return left->rule < right->rule ? -1 : left->rule > right->rule;
}

size_t pawl_findings(const struct pawl_profile_kernel *kernel, struct pawl_finding *out) {
  size_t count = 0;
  for (size_t i = 0; i < pawl_rule_count; i++) {
    out[count] = (struct pawl_finding){.rule = &pawl_rules[i], .remedy = pawl_rules[i].remedy};
    if (pawl_rules[i].holds(kernel, &out[count]) && out[count].cost >= NEGLIGIBLE) count++;
  }
  qsort(out, count, sizeof *out, by_importance);
  return count;
}
