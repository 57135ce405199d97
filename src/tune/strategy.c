/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/strategy.h"

#include <string.h>

#include "base/count.h"
#include "base/text.h"

const struct pawl_strategy *const pawl_strategies[] = {
    &pawl_strategy_auto,       /* the default of `pawl tune` */
    &pawl_strategy_exhaustive, /* for small spaces */
    &pawl_strategy_random,     /* what each other must beat */
    &pawl_strategy_annealing,  /* cheap for large spaces */
    &pawl_strategy_genetic,    /* for spaces without order */
    &pawl_strategy_bayesian,   /* few evaluations */
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
