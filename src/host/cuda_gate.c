/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_gate.h"

#include <errno.h>
#include <time.h>

#define PATIENCE_NS 50000000 /* no launch that only enqueues takes this long */

/* Waits, while the gate is shut, for it to open; opens it itself when the time is up. */
static void *watch(void *argument) {
  struct host_cuda_gate *gate = argument;
  pthread_mutex_lock(&gate->lock);
  while (!gate->ending) {
    if (!gate->shut) {
      pthread_cond_wait(&gate->changed, &gate->lock);
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    const uint32_t turn = gate->turn;
    while (gate->shut && !gate->ending && gate->turn == turn) {
      if (pthread_cond_timedwait(&gate->changed, &gate->lock, &until) != ETIMEDOUT) continue;
      gate->forced = true;
      gate->shut = false;
      *gate->flag = gate->turn;
    }
  }
  pthread_mutex_unlock(&gate->lock);
  return NULL;
}

pawl_status host_cuda_gate_init(struct host_cuda_gate *gate, const struct pawl_cuda_driver *driver,
                                struct pawl_error *err) {
  void *flag = NULL;
  PAWL_TRY(pawl_cuda_check(
      driver, driver->host_alloc(&flag, sizeof *gate->flag, PAWL_CU_HOST_PORTABLE | PAWL_CU_HOST_DEVICE_MAP),
      "cannot allocate pinned memory", err));
  *gate = (struct host_cuda_gate){.flag = flag};
  *gate->flag = 0;
  const enum pawl_status_code status =
      pawl_cuda_check(driver, driver->host_pointer(&gate->flag_on_device, flag, 0), "cannot map pinned memory", err);
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->changed, NULL);
  if (status != PAWL_OK || pthread_create(&gate->watchman, NULL, watch, gate)) {
    driver->host_free(flag);
    return status != PAWL_OK ? status : pawl_fail_errno(err, EAGAIN, "cannot start a thread");
  }
  gate->driver = driver;
  return PAWL_OK;
}

void host_cuda_gate_release(struct host_cuda_gate *gate) {
  if (!gate->driver) return;
  host_cuda_gate_open(gate);
  pthread_mutex_lock(&gate->lock);
  gate->ending = true;
  pthread_cond_signal(&gate->changed);
  pthread_mutex_unlock(&gate->lock);
  pthread_join(gate->watchman, NULL);
  gate->driver->host_free((void *)(uintptr_t)gate->flag);
  gate->driver = NULL;
}

pawl_status host_cuda_gate_shut(struct host_cuda_gate *gate, pawl_cu_stream stream, struct pawl_error *err) {
  pthread_mutex_lock(&gate->lock);
  gate->turn++;
  gate->shut = true;
  gate->forced = false;
  pthread_cond_signal(&gate->changed);
  pthread_mutex_unlock(&gate->lock);
  const pawl_cu_result result =
      gate->driver->stream_wait_value(stream, gate->flag_on_device, gate->turn, PAWL_CU_STREAM_WAIT_GEQ);
  if (result != PAWL_CU_SUCCESS) host_cuda_gate_open(gate);
  return pawl_cuda_check(gate->driver, result, "cannot hold the stream back", err);
}

bool host_cuda_gate_open(struct host_cuda_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  *gate->flag = gate->turn;
  gate->shut = false;
  const bool forced = gate->forced;
  pthread_cond_signal(&gate->changed);
  pthread_mutex_unlock(&gate->lock);
  return !forced;
}
