/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the work of the processor and the system during calls, over all threads of this process.
 */
#pragma once

#include "base/json.h"

struct host_processor_counters;

/* Begins to count. Counters of the processor need a system that gives them (perf_event_open); those
   of the system are always there. */
struct host_processor_counters *host_processor_counters_begin(void);
/* Ends it, and frees: a new reference to {"cpu_s", "system_s", "page_faults", "waits",
   "preemptions", "cycles", "instructions", "cache_misses", "branches", "branch_misses",
   "tlb_misses", "stalled_cycles"}; null: unknown. "reason" says why the processor's are. */
json_t *host_processor_counters_end(struct host_processor_counters *counters);
