/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "tune/search.h"

static size_t next(struct pawl_search *search, void *state) {
  (void)state;
  return pawl_search_draw(search);
}

const struct pawl_strategy pawl_strategy_random = {"random", "all, in random order", 0, NULL, next,
                                                   NULL,     .first = SIZE_MAX};
