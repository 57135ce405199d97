/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the work of processor and system during calls, over all threads of this process. */
#pragma once

#include "base/json.h"

struct host_processor_counters;

/* Begins to count. The processor's counters need a system that allows perf_event_open. The system's
   counters are always available. */
struct host_processor_counters *host_processor_counters_begin(void);
/* Ends the count and frees `counters`. Returns a new reference to {"cpu_s", "system_s",
   "page_faults", "waits", "preemptions", "cycles", "instructions", "cache_misses", "branches",
   "branch_misses", "tlb_misses", "stalled_cycles"}. An unknown counter is null, and "reason" says
   why the processor's counters are unknown. */
json_t *host_processor_counters_end(struct host_processor_counters *counters);
