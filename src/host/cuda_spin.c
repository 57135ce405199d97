/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_spin.h"

#define NAME "pawl_spin"

/* The driver compiles PTX for the GPU of this machine, Maxwell or newer. Specification: PTX ISA,
   special register %clock64. */
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

static pawl_cu_result cuda_spin_launch(const struct host_cuda_spin *spin, uint64_t cycles,
                                       pawl_cu_stream stream) {
  void *parameters[] = {&cycles};
  return spin->driver->launch(spin->function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

pawl_status host_cuda_spin_load(struct host_cuda_spin *spin, const struct pawl_cuda_driver *driver,
                                pawl_cu_device device, pawl_cu_stream stream,
                                struct pawl_error *err) {
  static const char what[] = "cannot load the code of a delay";
  struct host_cuda_spin made = {.driver = driver};
  int kilohertz = 0;
  if (spin->driver) return PAWL_OK;
  PAWL_TRY(pawl_cuda_check(driver, driver->device_attribute(&kilohertz, PAWL_CU_CLOCK_RATE, device),
                           "cannot read the GPU's clock", err));
  made.cycles_per_ns = kilohertz * 1e-6;
  PAWL_TRY(pawl_cuda_check(driver, driver->module_load(&made.module, program), what, err));
  pawl_cu_result result = driver->module_function(&made.function, made.module, NAME);
  if (result == PAWL_CU_SUCCESS) result = cuda_spin_launch(&made, 1, stream);
  if (result == PAWL_CU_SUCCESS) result = driver->stream_synchronize(stream);
  if (result != PAWL_CU_SUCCESS) driver->module_unload(made.module);
  PAWL_TRY(pawl_cuda_check(driver, result, what, err));
  *spin = made;
  return PAWL_OK;
}

pawl_cu_result host_cuda_spin_enqueue(const struct host_cuda_spin *spin, int64_t ns,
                                      pawl_cu_stream stream) {
  const uint64_t cycles = (uint64_t)((double)ns * spin->cycles_per_ns + 0.5);
  return cuda_spin_launch(spin, cycles ? cycles : 1, stream);
}

void host_cuda_spin_release(struct host_cuda_spin *spin) {
  if (spin->driver) spin->driver->module_unload(spin->module);
  *spin = (struct host_cuda_spin){0};
}
