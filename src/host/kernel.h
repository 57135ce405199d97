/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that is prepared for one shape, and the calls that a request can make with it. */
#pragma once

#include "base/json.h"
#include "host/channel.h"
#include "host/host_device.h"
#include "host/mapping.h"

/* A set of tensors, in the shared memory and in the memory of the device. */
struct host_set {
  struct pawl_tensor_set placed;
  struct pawl_tensor shared[PAWL_MAX_TENSORS];
  struct pawl_tensor tensors[PAWL_MAX_TENSORS]; /* on the device; in place: the shared tensors */
  /* in place: the value of each inout before the first timed call */
  void *original[PAWL_MAX_TENSORS];
  /* the device still holds the inputs that pawl uploaded for timed calls */
  bool current;
};

struct host_kernel {
  const struct pawl_kernel *kernel;
  const struct host_device *device;
  void *device_state;
  const struct host_channel *channel;
  struct host_mapping mapping;
  /* The pinned part of the shared memory, which stays pinned for later cases. NULL: none. */
  unsigned char *pinned;
  size_t pinned_bytes;
  long long emptied; /* "emptied" of the last prepare */
  /* The members below belong to the last prepare. */
  struct pawl_arena arena;
  bool ready; /* the kernel supports the shape and can be called */
  struct pawl_shape shape;
  int threads;
  struct host_set *sets;
  int set_count;
  unsigned char *workspace; /* guard band, workspace, guard band; NULL: none */
  size_t workspace_bytes;   /* without the bands */
  /* the time of the fastest warm-up call, alone and without its delay; INFINITY: none */
  double fastest_ns;
  /* samples of batches before the next batch check; negative: not drawn yet */
  int until_check;
  /* the most device memory that the kernel itself was seen to take; -1: unknown */
  int64_t memory_bytes;
};

/* Prepares the kernel for a shape and forgets the last one. Sets *reason to why the kernel does not
   support the shape, or to NULL. */
pawl_status host_kernel_prepare(struct host_kernel *host, const json_t *params, const char **reason,
                                struct pawl_error *err);
void host_kernel_unprepare(struct host_kernel *host);
/* Lets go of the pinned memory. */
void host_kernel_unpin(struct host_kernel *host);

/* Upload copies a set's tensors to the device before a call, without the outputs where pawl
   poisons them on the device: host_time_reset(). Download copies all tensors back. */
pawl_status host_kernel_upload(struct host_kernel *host, struct host_set *set, bool outputs,
                               struct pawl_error *err);
pawl_status host_kernel_download(struct host_kernel *host, struct host_set *set,
                                 struct pawl_error *err);
/* The first poisons the workspace before a timed call, the second before an untimed call. */
pawl_status host_kernel_poison_workspace(struct host_kernel *host, struct pawl_error *err);
pawl_status host_kernel_repoison_workspace(struct host_kernel *host, struct pawl_error *err);

/* Removes the set's tensors from the caches, if the device can. Leaves the workspace there:
   otherwise a kernel with memory of its own in place of the workspace would gain. */
void host_kernel_evict(const struct host_kernel *host, const struct host_set *set);
/* Announces the calls of a request. */
void host_kernel_begin_request(struct host_kernel *host);
/* Notes the device memory that the kernel has taken in this request. Call it after a single call:
   what the device keeps for a batch is not the kernel's. It does not see memory that launch() frees
   before it returns. The driver takes longer for the answer than for a launch. */
void host_kernel_note_memory(struct host_kernel *host);
/* Records the calls, if the device can, for a later host_kernel_call with the same set, number and
   poisons. `poisons` may be NULL. See host_device.h. */
pawl_status host_kernel_record(struct host_kernel *host, struct host_set *set, int calls,
                               const struct host_poisons *poisons, struct pawl_error *err);
/* Calls the kernel `calls` times and then checks the workspace's guard bands. Fails with
   PAWL_FAILED if launch() returned an error number or the kernel wrote outside its workspace. */
pawl_status host_kernel_call(struct host_kernel *host, struct host_set *set, int calls,
                             const struct host_poisons *poisons, struct host_timing *timing,
                             struct pawl_error *err);

/* Answers the request `time`. */
pawl_status host_kernel_time(void *state, const json_t *params, json_t **result,
                             struct pawl_error *err);
