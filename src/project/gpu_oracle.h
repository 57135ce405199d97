/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, builds and starts an operator's GPU oracle. A shipped operator has oracle_f64.cu in its
 * folder of pawl's kernels; a suite's operator names its own. */
#pragma once

#include "project/project.h"

/* Lets the GPU compute the operator's answers if there is a GPU oracle, the suite allows it, and
   this machine can build and run it. Otherwise the log says why not. */
void pawl_gpu_oracle_use(struct pawl_project *project, struct pawl_oracle *oracle);
