/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a plug-in, or fails with the reason why pawl-worker cannot use it. */
#pragma once

#include "base/error.h"
#include "pawl/gpu_oracle.h"
#include "pawl/kernel.h"
#include "pawl/operator.h"

pawl_status host_load_kernel(const char *path, const struct pawl_kernel **out,
                             struct pawl_error *err);
/* Loads a kernel beside another one in the process. Both may come from one source, so the names
   that the loader would share between them (STB_GNU_UNIQUE, such as the static variables of
   templates) are the plug-in's own. */
pawl_status host_load_another_kernel(const char *path, const struct pawl_kernel **out,
                                     struct pawl_error *err);
pawl_status host_load_operator(const char *path, const struct pawl_operator **out,
                               struct pawl_error *err);
pawl_status host_load_gpu_oracle(const char *path, const struct pawl_gpu_oracle **out,
                                 struct pawl_error *err);
