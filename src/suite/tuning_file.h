/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a space of parameters from a file in the T1 format, which Kernel Tuner and other tuners
   share. */
#pragma once

#include "model/kernel_spec.h"
#include "yaml/keys.h"

#define PAWL_TUNE_MOST_VALUES 1000u /* a longer list of a parameter is a mistake */

/* Reads `tune: FILE`: TuningParameters and Conditions of the file's ConfigurationSpace into
   spec->tune and spec->constraints. The path is relative to the suite. Parameters with a single
   value become constants of the space. */
pawl_status pawl_read_tuning_file(const struct pawl_slot *slot, struct pawl_kernel_spec *spec);
