/* SPDX-License-Identifier: Apache-2.0 */
#include "report/document.h"

#include "base/count.h"

#define SECTION(function, name, place, source) {name, function, place, source},
#define PICTURES {"pictures", NULL, 0, PAWL_SECTION_MEASUREMENTS},
const struct pawl_section pawl_sections[] = {
#include "report/sections.inc"
};
const size_t pawl_section_count = PAWL_COUNT(pawl_sections);
