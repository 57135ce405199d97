/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_cover.h"

#define MIN_SPIN_NS 50000 /* the host needs about 10 us to launch a graph */
#define MAX_SPIN_NS (MIN_SPIN_NS << (HOST_CUDA_MAX_LATE - 1))

pawl_status host_cuda_cover_init(struct host_cuda_cover *cover,
                                 const struct pawl_cuda_driver *driver, struct pawl_error *err) {
  *cover = (struct host_cuda_cover){0};
  PAWL_TRY(pawl_cuda_check(driver, driver->event_create(&cover->end, PAWL_CU_EVENT_DISABLE_TIMING),
                           "cannot make an event", err));
  cover->driver = driver;
  return PAWL_OK;
}

void host_cuda_cover_release(struct host_cuda_cover *cover) {
  if (cover->driver) cover->driver->event_destroy(cover->end);
  cover->driver = NULL;
}

pawl_status host_cuda_cover_enqueue(struct host_cuda_cover *cover,
                                    const struct host_cuda_spin *spin, pawl_cu_stream stream,
                                    struct pawl_error *err) {
  pawl_cu_result result = PAWL_CU_SUCCESS;
  if (cover->spin_ns > 0) result = host_cuda_spin_enqueue(spin, cover->spin_ns, stream);
  if (result == PAWL_CU_SUCCESS) result = cover->driver->event_record(cover->end, stream);
  return pawl_cuda_check(cover->driver, result, "cannot keep the GPU busy", err);
}

pawl_status host_cuda_cover_check(struct host_cuda_cover *cover, bool *late,
                                  struct pawl_error *err) {
  const pawl_cu_result result = cover->driver->event_query(cover->end);
  if (result != PAWL_CU_NOT_READY)
    PAWL_TRY(pawl_cuda_check(cover->driver, result, "its work on the GPU failed", err));
  *late = result == PAWL_CU_SUCCESS;
  cover->late_calls = *late ? cover->late_calls + 1 : 0;
  return PAWL_OK;
}

void host_cuda_cover_extend(struct host_cuda_cover *cover) {
  const int64_t longer = cover->spin_ns ? 2 * cover->spin_ns : MIN_SPIN_NS;
  cover->spin_ns = longer < MAX_SPIN_NS ? longer : MAX_SPIN_NS;
}
