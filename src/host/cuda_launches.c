/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_launches.h"

#include "base/count.h"
#include "base/library.h"

#define WARP 32

/* Every driver function that launches a kernel, and the layout of its parameters. */
static const struct {
  uint32_t function;
  bool is_ex;
} ways[] = {{PAWL_CUPTI_LAUNCH, false},
            {PAWL_CUPTI_LAUNCH_PTSZ, false},
            {PAWL_CUPTI_LAUNCH_COOPERATIVE, false},
            {PAWL_CUPTI_LAUNCH_COOPERATIVE_PTSZ, false},
            {PAWL_CUPTI_LAUNCH_EX, true},
            {PAWL_CUPTI_LAUNCH_EX_PTSZ, true}};
#define WAYS PAWL_COUNT(ways)

static void cuda_launches_note(struct host_cuda_launches *launches, const char *symbol,
                               pawl_cu_function function,
                               const struct pawl_cupti_geometry *geometry) {
  if (launches->count < HOST_CUDA_LAUNCHES)
    launches->list[launches->count] =
        (struct host_cuda_launch){.name = pawl_arena_copy(&launches->arena, symbol),
                                  .function = function,
                                  .geometry = *geometry};
  launches->count++;
}

static void called_back(void *user, int domain, uint32_t function,
                        const struct pawl_cupti_callback_data *data) {
  struct host_cuda_launches *launches = user;
  if (!launches->listening || domain != PAWL_CUPTI_DRIVER_API || data->site != PAWL_CUPTI_ENTER)
    return;
  for (size_t i = 0; i < WAYS; i++) {
    if (ways[i].function != function) continue;
    const struct pawl_cupti_launch *plain = data->parameters;
    const struct pawl_cupti_launch_ex *ex = data->parameters;
    if (ways[i].is_ex)
      cuda_launches_note(launches, data->symbol, ex->function, ex->geometry);
    else
      cuda_launches_note(launches, data->symbol, plain->function, &plain->geometry);
  }
}

pawl_status host_cuda_launches_open(struct host_cuda_launches *launches,
                                    const struct pawl_cupti *cupti, struct pawl_error *err) {
  *launches = (struct host_cuda_launches){.cupti = cupti};
  PAWL_TRY(pawl_cupti_check(cupti, cupti->subscribe(&launches->subscriber, called_back, launches),
                            "cuptiSubscribe", err));
  for (size_t i = 0; i < WAYS; i++)
    PAWL_TRY(pawl_cupti_check(
        cupti,
        cupti->enable_callback(1, launches->subscriber, PAWL_CUPTI_DRIVER_API, ways[i].function),
        "cuptiEnableCallback", err));
  return PAWL_OK;
}

void host_cuda_launches_close(struct host_cuda_launches *launches) {
  if (launches->subscriber) launches->cupti->unsubscribe(launches->subscriber);
  pawl_arena_clear(&launches->arena);
  launches->subscriber = NULL;
  launches->count = 0;
}

/* Registers are allocated to warps in these units, and to four schedulers (CUDA Occupancy
   Calculator, compute capability 5.0 and later). */
#define REGISTER_UNIT 256
#define SCHEDULERS 4

static int units(int count, int unit) { return (count + unit - 1) / unit; }

/* Adds how many blocks of an SM each of its resources allows. */
static void describe_limits(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                            int threads, int registers, int shared_bytes, json_t *values) {
  const int warps = units(threads, WARP);
  const int warp_registers = units(registers * WARP, REGISTER_UNIT) * REGISTER_UNIT;
  int blocks, most_threads, most_registers, most_shared, reserved;
  if (driver->device_attribute(&blocks, PAWL_CU_BLOCKS_OF_MULTIPROCESSOR, device) == 0)
    pawl_json_set_int(values, "launch__occupancy_limit_blocks", blocks);
  if (driver->device_attribute(&most_threads, PAWL_CU_THREADS_OF_MULTIPROCESSOR, device) == 0)
    pawl_json_set_int(values, "launch__occupancy_limit_warps", most_threads / WARP / warps);
  if (warp_registers > 0 &&
      driver->device_attribute(&most_registers, PAWL_CU_REGISTERS_OF_MULTIPROCESSOR, device) == 0)
    pawl_json_set_int(values, "launch__occupancy_limit_registers",
                      most_registers / SCHEDULERS / warp_registers * SCHEDULERS / warps);
  if (driver->device_attribute(&most_shared, PAWL_CU_SHARED_OF_MULTIPROCESSOR, device) == 0 &&
      driver->device_attribute(&reserved, PAWL_CU_SHARED_RESERVED, device) == 0 &&
      shared_bytes + reserved > 0)
    pawl_json_set_int(values, "launch__occupancy_limit_shared_mem",
                      most_shared / (shared_bytes + reserved));
}

/* Adds waves of blocks and occupancy, as the driver computes them. */
static void describe_occupancy(const struct host_cuda_launch *launch,
                               const struct pawl_cuda_driver *driver, pawl_cu_device device,
                               double grid, double block, json_t *values) {
  int multiprocessors = 0, most_threads = 0, blocks = 0;
  if (driver->device_attribute(&multiprocessors, PAWL_CU_MULTIPROCESSORS, device) ||
      multiprocessors <= 0)
    return;
  pawl_json_set_int(values, "launch__sm_count", multiprocessors);
  if (driver->device_attribute(&most_threads, PAWL_CU_THREADS_OF_MULTIPROCESSOR, device) ||
      most_threads <= 0)
    return;
  if (driver->occupancy(&blocks, launch->function, (int)block, launch->geometry.shared_bytes) ||
      blocks <= 0)
    return;
  const double warps = (double)(((int)block + WARP - 1) / WARP) * blocks;
  pawl_json_set_number(values, "launch__waves_per_multiprocessor", grid / blocks / multiprocessors);
  pawl_json_set_number(values, "sm__maximum_warps_per_active_cycle_pct",
                       100 * warps * WARP / most_threads);
}

/* Finds the function whose attributes count. A runtime of CUDA 12 or later launches a CUkernel
 * instead of a CUfunction; older drivers have no CUkernel. */
static pawl_cu_function function_of(const struct host_cuda_launch *launch,
                                    const struct pawl_cuda_driver *driver) {
  pawl_cu_result (*kernel_function)(pawl_cu_function * out, pawl_cu_function kernel) = NULL;
  const struct pawl_symbol symbol = {"cuKernelGetFunction", NULL, &kernel_function};
  pawl_cu_function function;
  int registers;
  if (driver->function_attribute(&registers, PAWL_CU_FUNCTION_REGISTERS, launch->function) ==
          PAWL_CU_SUCCESS ||
      pawl_library_find(driver->library, &symbol, 1) ||
      kernel_function(&function, launch->function) != PAWL_CU_SUCCESS)
    return launch->function;
  return function;
}

void host_cuda_launch_describe(const struct host_cuda_launch *launch,
                               const struct pawl_cuda_driver *driver, pawl_cu_device device,
                               json_t *values) {
  const unsigned *grid = launch->geometry.grid, *block = launch->geometry.block;
  const double blocks = (double)grid[0] * grid[1] * grid[2],
               threads = (double)block[0] * block[1] * block[2];
  const pawl_cu_function function = function_of(launch, driver);
  int registers, shared, clock;
  pawl_json_set_number(values, "launch__grid_size", blocks);
  pawl_json_set_number(values, "launch__block_size", threads);
  if (driver->function_attribute(&registers, PAWL_CU_FUNCTION_REGISTERS, function) ==
          PAWL_CU_SUCCESS &&
      driver->function_attribute(&shared, PAWL_CU_FUNCTION_SHARED, function) == PAWL_CU_SUCCESS) {
    shared += (int)launch->geometry.shared_bytes;
    pawl_json_set_int(values, "launch__registers_per_thread", registers);
    pawl_json_set_int(values, "launch__shared_mem_per_block", shared);
    describe_limits(driver, device, (int)threads, registers, shared, values);
  }
  describe_occupancy(launch, driver, device, blocks, threads, values);
  if (driver->device_attribute(&clock, PAWL_CU_CLOCK_RATE, device) == 0 && clock > 0)
    pawl_json_set_int(values, "device__attribute_clock_rate", clock);
}
