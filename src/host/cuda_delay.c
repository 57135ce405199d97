/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_delay.h"

#define NAME "pawl_delay"

/* PTX is compiled by the driver for whatever GPU is there; this needs nothing that is younger than Maxwell.
   Specification: PTX ISA, special register %clock64. */
static const char program[] =
    ".version 5.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry " NAME
    "(.param .u64 cycles) {\n"
    "  .reg .pred again;\n"
    "  .reg .u64 wanted, begin, now;\n"
    "  ld.param.u64 wanted, [cycles];\n"
    "  mov.u64 begin, %clock64;\n"
    "spin:\n"
    "  mov.u64 now, %clock64;\n"
    "  sub.u64 now, now, begin;\n"
    "  setp.lt.u64 again, now, wanted;\n"
    "  @again bra spin;\n"
    "  ret;\n"
    "}\n";

static pawl_cu_result launch(struct host_cuda_delay *delay, uint64_t cycles, pawl_cu_stream stream) {
  void *parameters[] = {&cycles};
  return delay->driver->launch(delay->function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static pawl_status load(struct host_cuda_delay *delay, const struct pawl_cuda_driver *driver, pawl_cu_device device,
                        pawl_cu_stream stream, struct pawl_error *err) {
  static const char what[] = "cannot load the code of a delay";
  struct host_cuda_delay made = {.driver = driver};
  int kilohertz = 0;
  PAWL_TRY(pawl_cuda_check(driver, driver->device_attribute(&kilohertz, PAWL_CU_CLOCK_RATE, device),
                           "cannot read the GPU's clock", err));
  made.cycles_per_ns = kilohertz * 1e-6;
  PAWL_TRY(pawl_cuda_check(driver, driver->module_load(&made.module, program), what, err));
  pawl_cu_result result = driver->module_function(&made.function, made.module, NAME);
  if (result == PAWL_CU_SUCCESS) result = launch(&made, 1, stream);
  if (result == PAWL_CU_SUCCESS) result = driver->stream_synchronize(stream);
  if (result != PAWL_CU_SUCCESS) driver->module_unload(made.module);
  PAWL_TRY(pawl_cuda_check(driver, result, what, err));
  *delay = made;
  return PAWL_OK;
}

pawl_status host_cuda_delay_set(struct host_cuda_delay *delay, const struct pawl_cuda_driver *driver,
                                pawl_cu_device device, pawl_cu_stream stream, int64_t ns, struct pawl_error *err) {
  if (ns > 0 && !delay->driver) PAWL_TRY(load(delay, driver, device, stream, err));
  delay->cycles = ns > 0 ? (uint64_t)((double)ns * delay->cycles_per_ns + 0.5) : 0;
  return PAWL_OK;
}

pawl_cu_result host_cuda_delay_enqueue(struct host_cuda_delay *delay, pawl_cu_stream stream) {
  return delay->cycles ? launch(delay, delay->cycles, stream) : PAWL_CU_SUCCESS;
}

void host_cuda_delay_release(struct host_cuda_delay *delay) {
  if (delay->driver) delay->driver->module_unload(delay->module);
  *delay = (struct host_cuda_delay){0};
}
