/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/load.h"

#include <math.h>

#include "base/clock.h"
#include "device/cpu/cpu.h"

/* a process that ended meanwhile, such as a command, has added its time to this one */
static double own_seconds(const struct pawl_block_run *run) {
  double seconds = pawl_cpu_own_seconds();
  for (int i = 0; i < run->count; i++)
    if (run->arms[i].worker) seconds += pawl_worker_cpu_seconds(run->arms[i].worker);
  return seconds;
}

struct pawl_load pawl_load_begin(const struct pawl_block_run *run) {
  return (struct pawl_load){pawl_clock_ns(), pawl_cpu_machine_seconds(), own_seconds(run)};
}

void pawl_load_end(const struct pawl_block_run *run, const struct pawl_load *load,
                   struct pawl_block *block) {
  const struct pawl_device *device = run->plan->device;
  const double seconds = pawl_seconds_since(load->begin);
  block->own_busy = block->other_busy = NAN;
  if (!device || device->kind != PAWL_CPU) return;
  const double own = own_seconds(run) - load->own;
  const double other = (pawl_cpu_machine_seconds() - load->machine) - own;
  block->own_busy = own / seconds;
  if (seconds < PAWL_LOAD_SECONDS) return;
  block->other_busy = isnan(other) ? (double)NAN : fmax(other, 0) / seconds;
}
