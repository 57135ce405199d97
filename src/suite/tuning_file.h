/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a space of parameters from a file in the T1 format of Kernel Tuner and other tuners. */
#pragma once

#include "model/kernel_spec.h"
#include "yaml/keys.h"

#define PAWL_TUNE_MOST_VALUES 1000u /* pawl refuses a longer list */

/* Reads `tune: FILE` relative to the suite: TuningParameters and Conditions of the file's
 * ConfigurationSpace go into spec->tune and spec->constraints. A parameter with a single value
 * becomes a constant of the space. */
pawl_status pawl_read_tuning_file(const struct pawl_slot *slot, struct pawl_kernel_spec *spec);
