/* SPDX-License-Identifier: Apache-2.0 */
#include "import/unit.h"

#include <stddef.h>
#include <string.h>

#include "base/count.h"

double pawl_unit_seconds(const char *unit) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"ns", 1e-9},    {"us", 1e-6},      {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6},
               {"ms", 1e-3},    {"s", 1},          {"sec", 1},        {"seconds", 1},
               {"ns/op", 1e-9}, {"ns/iter", 1e-9}, {"us/op", 1e-6},   {"us/iter", 1e-6},
               {"ms/op", 1e-3}, {"ms/iter", 1e-3}, {"s/op", 1},       {"s/iter", 1}};
  for (size_t i = 0; i < PAWL_COUNT(units); i++)
    if (!strcmp(units[i].name, unit)) return units[i].seconds;
  return 0;
}
