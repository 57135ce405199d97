/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profiled_worker.h"

pawl_status pawl_profiled_worker_start(const struct pawl_profiled_call *call,
                                       struct pawl_worker_options options,
                                       const struct pawl_problem *problem, struct pawl_arena *arena,
                                       struct pawl_worker **out, struct pawl_error *err) {
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  struct pawl_worker *worker = NULL;
  const char *reason = NULL;
  uint64_t workspace;
  options.tensors = &call->oracle->tensors;
  PAWL_TRY(pawl_worker_start(&worker, &options, err));
  enum pawl_status_code status =
      pawl_worker_prepare(worker, &shape, problem->sets, problem->set_count, call->threads,
                          call->seed, arena, &reason, &workspace, err);
  if (status == PAWL_OK && reason)
    status = pawl_fail(err, PAWL_UNDECIDED, "kernel '%s' does not do this case: %s",
                       call->worker->name, reason);
  if (status == PAWL_OK)
    *out = worker;
  else
    pawl_worker_free(worker);
  return status;
}
