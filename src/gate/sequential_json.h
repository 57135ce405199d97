/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of the sequential test, as verdict.json and selftest.json hold it. */
#pragma once

#include "model/fields.h"
#include "stats/sequential.h"

extern const struct pawl_fields pawl_sequential_policy_fields; /* struct pawl_sequential_policy */
