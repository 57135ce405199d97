/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

const struct pawl_counter_info pawl_counter_infos[PAWL_COUNTERS] = {
#define COUNTER(ID, KEY, LABEL, UNIT, ...) {KEY, LABEL, PAWL_UNIT_##UNIT, {__VA_ARGS__}},
#include "profile/counters.inc"
#undef COUNTER
};

const struct pawl_stall_info pawl_stall_infos[PAWL_STALLS] = {
#define STALL(ID, WORD, FOR, REMEDY) {WORD, FOR, REMEDY},
#include "profile/stalls.inc"
#undef STALL
};
