/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "tune/search.h"

static size_t next(struct pawl_search *search, void *state) {
  (void)state;
  size_t index = 0;
  while (!pawl_search_is_open(search, index)) index++;
  return index;
}

const struct pawl_strategy pawl_strategy_exhaustive = {
    "exhaustive", "all, in order", 0, NULL, next, NULL, .first = SIZE_MAX};
