/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel made ready for one shape, and what can be done with it. */
#pragma once

#include "base/json.h"
#include "host/channel.h"
#include "host/host_device.h"
#include "host/mapping.h"

/* One set of tensors, in the shared memory and where the kernel sees them. */
struct host_set {
  struct pawl_tensor_set placed;
  struct pawl_tensor shared[PAWL_MAX_TENSORS];
  struct pawl_tensor tensors[PAWL_MAX_TENSORS]; /* on the device, or the shared ones in place */
  void *original[PAWL_MAX_TENSORS]; /* in place: an inout's value before the first timed call */
  bool current; /* the device holds the inputs as they were uploaded for timed calls, and nothing
                   was asked since */
};

struct host_kernel {
  const struct pawl_kernel *kernel;
  const struct host_device *device;
  void *device_state;
  const struct host_channel *channel;
  struct host_mapping mapping;
  /* From the last prepare: */
  struct pawl_arena arena;
  bool ready; /* the shape is supported and all is in place */
  struct pawl_shape shape;
  int threads;
  struct host_set *sets;
  int set_count;
  unsigned char *pinned;    /* the part of the shared memory that is pinned; NULL: none */
  unsigned char *workspace; /* guard band, workspace, guard band; NULL: none */
  size_t workspace_bytes;   /* without the bands */
  /* The fastest warm-up call, alone and without its delay; INFINITY: none. */
  double fastest_ns;
  int until_check; /* samples of batches before the next batch that is checked; negative: not drawn
                      yet */
  int64_t memory_bytes; /* most that the kernel was seen to have taken of the device by itself; -1:
                           unknown */
};

/* Replaces what was prepared before. *reason: why the shape is not supported, or NULL. */
pawl_status host_kernel_prepare(struct host_kernel *host, const json_t *params, const char **reason,
                                struct pawl_error *err);
void host_kernel_unprepare(struct host_kernel *host);

/* The pieces of a call. Inputs and inouts of a set to the device; everything back. */
pawl_status host_kernel_upload(struct host_kernel *host, struct host_set *set,
                               struct pawl_error *err);
pawl_status host_kernel_download(struct host_kernel *host, struct host_set *set,
                                 struct pawl_error *err);
/* Before timed calls, and before a call that nothing times. */
pawl_status host_kernel_poison_workspace(struct host_kernel *host, struct pawl_error *err);
pawl_status host_kernel_repoison_workspace(struct host_kernel *host, struct pawl_error *err);

/* Removes the set's tensors from the caches, where the device can. Not the workspace: a kernel that
   has memory of its own in its place must not gain by that. */
void host_kernel_evict(const struct host_kernel *host, const struct host_set *set);
/* Calls for a request of pawl follow. */
void host_kernel_begin_request(struct host_kernel *host);
/* Takes the calls up for a later host_kernel_call of the same set, number and poisons (NULL:
   none), where the device can; see device.h. */
pawl_status host_kernel_record(struct host_kernel *host, struct host_set *set, int calls,
                               const struct host_poisons *poisons, struct pawl_error *err);
/* Calls the kernel `calls` times and then looks at the workspace's guard bands. PAWL_FAILED:
   launch() returned an error number, or it wrote outside its workspace. */
pawl_status host_kernel_call(struct host_kernel *host, struct host_set *set, int calls,
                             const struct host_poisons *poisons, struct host_timing *timing,
                             struct pawl_error *err);

/* The methods. */
pawl_status host_kernel_time(void *state, const json_t *params, json_t **result,
                             struct pawl_error *err);
