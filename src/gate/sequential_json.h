/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of the sequential test, as verdict.json and selftest.json hold it. Private to this
 * room. */
#ifndef PAWL_GATE_SEQUENTIAL_JSON_H
#define PAWL_GATE_SEQUENTIAL_JSON_H

#include "base/json.h"
#include "stats/sequential.h"

json_t *pawl_sequential_policy_to_json(const struct pawl_sequential_policy *policy);
/* PAWL_BAD_DATA names file and key. */
pawl_status pawl_sequential_policy_from_json(const json_t *object, const char *name,
                                             struct pawl_sequential_policy *out,
                                             struct pawl_error *err);

#endif
