/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_cover.h"

#define MIN_SPIN_NS 50000 /* the host needs about 10 us to launch a graph */
#define PATIENCE 8
#define MOST_PATIENCE 1024
/* A call that is late so soon after a shorter spin needs the longer one. */
#define SOON 4
#define MAX_SPIN_NS (MIN_SPIN_NS << (HOST_CUDA_MAX_LATE - 1))

pawl_status host_cuda_cover_init(struct host_cuda_cover *cover,
                                 const struct pawl_cuda_driver *driver, struct pawl_error *err) {
  *cover = (struct host_cuda_cover){.patience = PATIENCE};
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

static void note_late(struct host_cuda_cover *cover) {
  cover->late_calls++;
  if (cover->shrunk && cover->on_time < SOON && cover->patience < MOST_PATIENCE)
    cover->patience *= 2;
  cover->shrunk = false;
  cover->on_time = 0;
}

static void note_on_time(struct host_cuda_cover *cover) {
  cover->late_calls = 0;
  if (++cover->on_time < cover->patience || !cover->spin_ns) return;
  cover->spin_ns = cover->spin_ns > MIN_SPIN_NS ? cover->spin_ns / 2 : 0;
  cover->shrunk = true;
  cover->on_time = 0;
}

pawl_status host_cuda_cover_check(struct host_cuda_cover *cover, bool *late,
                                  struct pawl_error *err) {
  const pawl_cu_result result = cover->driver->event_query(cover->end);
  if (result != PAWL_CU_NOT_READY)
    PAWL_TRY(pawl_cuda_check(cover->driver, result, "its work on the GPU failed", err));
  *late = result == PAWL_CU_SUCCESS;
  if (*late)
    note_late(cover);
  else
    note_on_time(cover);
  return PAWL_OK;
}

void host_cuda_cover_extend(struct host_cuda_cover *cover) {
  const int64_t longer = cover->spin_ns ? 2 * cover->spin_ns : MIN_SPIN_NS;
  cover->spin_ns = longer < MAX_SPIN_NS ? longer : MAX_SPIN_NS;
}
