/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/strategy.h"

#include <string.h>

#include "base/count.h"
#include "base/text.h"

/* In the order of the help; the first is the default of `pawl tune`. */
const struct pawl_strategy *const pawl_strategies[] = {
    &pawl_strategy_auto,
    &pawl_strategy_exhaustive,
    &pawl_strategy_random,
    &pawl_strategy_bayesian,
};
const size_t pawl_strategy_count = PAWL_COUNT(pawl_strategies);

pawl_status pawl_strategy_find(const char *name, const struct pawl_strategy **out,
                               struct pawl_error *err) {
  const char *names[PAWL_COUNT(pawl_strategies)];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text all = {0};
  for (size_t i = 0; i < pawl_strategy_count; i++) {
    names[i] = pawl_strategies[i]->name;
    const char *before = i == 0 ? "" : i + 1 < pawl_strategy_count ? ", " : " and ";
    pawl_text_printf(&all, "%s%s", before, names[i]);
    if (strcmp(name, names[i]) != 0) continue;
    *out = pawl_strategies[i];
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(name, names, pawl_strategy_count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no strategy '%s'; did you mean '%s'?", name, nearest);
  return pawl_fail(err, PAWL_USAGE, "no strategy '%s'; choose one of %s", name,
                   pawl_text_string(&all));
}
