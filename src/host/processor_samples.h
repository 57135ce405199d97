/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the program counter of this process's threads during calls, without root. */
#pragma once

#include "base/json.h"
#include "host/host_device.h"

/* Makes the call of `counted` for some tenths of a second. Sets *out to a new reference to the
   "counters" of docs/protocol.md, with the samples alone. A sample's function is the name of the
   library that has the instruction, and its offset counts from there. Fails with PAWL_UNAVAILABLE
   if the system does not let this process sample. Any other failure is a failure of the call. */
pawl_status host_processor_sample(const struct host_counted *counted, json_t **out,
                                  struct pawl_error *err);
