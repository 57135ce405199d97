/* SPDX-License-Identifier: Apache-2.0 */
/* Where a kernel's tensors live and how a call is timed there: one row of the table in
 * host_device.c for each kind. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"
#include "pawl/kernel.h"
#include "protocol/output_hash.h"
#include "protocol/stamp.h"

/* A piece of the device's memory. */
struct host_span {
  void *data;
  size_t bytes;
};

/* Elements of `size` bytes of a tensor on the device. */
struct host_elements {
  void *data;
  uint64_t count, size;
};

/* The result of timed calls. */
struct host_timing {
  double ns;
  /* The first result of launch() that is not 0: the calls were not timed. */
  int number;
  bool waited;   /* the device may have been idle inside `ns`, because the host had not enqueued the
                    work yet */
  bool can_help; /* it waited, and need not when the calls are timed again */
};

/* Bytes of outputs that are overwritten between the calls of a batch: one before each of the last
 * `count` calls. */
struct host_poison {
  unsigned char *address; /* NULL: none */
  unsigned char value;
};
#define HOST_MAX_POISONS 16
struct host_poisons {
  struct host_poison list[HOST_MAX_POISONS];
  int count;
};

#define HOST_POISON 0xff /* a NaN in every floating-point format */
#define HOST_MAX_ELEMENT_BYTES 8

/* A call that is made more than once, to be counted. */
struct host_counted {
  pawl_status (*prepare)(
      void *user, struct pawl_error *err); /* before each call: the same inputs, the same caches */
  pawl_status (*call)(void *user, struct pawl_error *err);
  void *user;
};

/* Whether a timed call waits for its inputs. They are behind a flush of the caches, or the device
 * loads them into its caches. */
enum host_late { HOST_NOT_LATE, HOST_LATE_COLD, HOST_LATE_WARM };

struct host_device {
  int32_t kind;  /* enum pawl_device_kind */
  bool in_place; /* kernels work on the shared memory itself: nothing is uploaded or downloaded */
  enum pawl_output_hash_kind hash_kind; /* the kind of hash that `hash` computes */

  pawl_status (*open)(void **state, struct pawl_error *err);
  void (*close)(void *state);
  /* Memory of the device, aligned to 256. */
  pawl_status (*allocate)(void *state, size_t bytes, void **out, struct pawl_error *err);
  void (*release)(void *state, void *data, size_t bytes);
  pawl_status (*upload)(void *state, void *to, const void *from, size_t bytes,
                        struct pawl_error *err);
  pawl_status (*download)(void *state, void *to, const void *from, size_t bytes,
                          struct pawl_error *err);
  /* Not required. Has the device copy from and to these bytes of the host directly, until unpin;
     false: it cannot, and copies all the same. */
  bool (*pin)(void *state, void *data, size_t bytes);
  void (*unpin)(void *state, void *data);
  pawl_status (*fill)(void *state, void *data, int byte, size_t bytes, struct pawl_error *err);
  /* Optional. The same for calls that nothing times: what was not written since costs nothing, and
     the next write to a page may take longer. */
  pawl_status (*refill)(void *state, void *data, int byte, size_t bytes, struct pawl_error *err);
  /* Reads or writes `bytes` of a buffer of its own, so that caches of that size hold nothing else.
   */
  pawl_status (*flush)(void *state, size_t bytes, struct pawl_error *err);
  /* Not required. Removes these bytes from the caches, whatever their size. */
  void (*evict)(void *state, const void *data, size_t bytes);
  pawl_status (*hash)(void *state, const struct host_span *spans, int count, struct pawl_hash *out,
                      struct pawl_error *err);
  /* Optional. Records the work that launch() enqueues in `calls` calls, without running it; the
   * next time_calls() of the same calls replays it. It must come before the outputs are poisoned,
   * so that no other work of launch() can replace the replay. time_calls() handles calls that
   * cannot be recorded. */
  pawl_status (*record)(void *state, const struct pawl_kernel *kernel, struct pawl_launch *launch,
                        int calls, const struct host_poisons *poisons, struct pawl_error *err);
  /* Calls the kernel `calls` times back to back, waits until all its work on the device is done,
     and measures. poisons: NULL for none; the same as were recorded. */
  pawl_status (*time_calls)(void *state, const struct pawl_kernel *kernel,
                            struct pawl_launch *launch, int calls,
                            const struct host_poisons *poisons, struct host_timing *timing,
                            struct pawl_error *err);
  /* Not required: it always is so. Whether calls are replayed as they were taken up, so that none
     of the kernel's host code stands between them and many can be taken up at once. */
  bool (*replays)(void *state);
  /* Not required. Right before the next timed call, behind all that was enqueued until then, a few
     elements of these tensors change places, drawn by the device; or, without `swap`, are only
     rewritten. false: the device cannot. */
  bool (*exchange)(void *state, const struct host_elements *inputs, int count, bool swap);
  /* Not required. Waits until the device has nothing left to do, whoever asked for it. */
  pawl_status (*drain)(void *state, struct pawl_error *err);
  /* Goes with exchange. Takes the last one back. */
  pawl_status (*take_back)(void *state, struct pawl_error *err);
  /* Not required. Begins and ends the range that a profiler looks at. */
  pawl_status (*profile)(void *state, bool begin, struct pawl_error *err);
  /* Optional. Returns the counters of that range: a new reference to an object. */
  json_t *(*counters)(void *state);
  /* Not required. Counts what the device does in a call, which it makes as often as the metrics
     take: a new reference to an object. See cuda_counters.h. */
  pawl_status (*count)(void *state, const json_t *metrics, const struct host_counted *counted,
                       json_t **out, struct pawl_error *err);
  /* Not required. Leaves nothing of the tensors in the caches, and nothing that is still to be
   * written to memory. */
  pawl_status (*empty_caches)(void *state, struct pawl_error *err);
  /* Optional. From now on a busy wait of this many nanoseconds follows each timed call, inside the
   * timed region. Its code path does not depend on its length. 0: none, which cannot fail. */
  pawl_status (*delay)(void *state, int64_t ns, struct pawl_error *err);
  /* Not required. From now on time_calls adds 1 to this word right before and right after what it
     times; NULL: to none. `late`: it waits for its inputs before the first of these:
     protocol/stamp.h. */
  void (*stamp)(void *state, pawl_stamp *word, enum host_late late);
  /* Optional. Announces calls. Memory of the device that is allocated from here to the last call is
   * the kernel's. No other process that shares the device may work meanwhile. */
  void (*begin_request)(void *state);
  /* Not required, goes with begin_request. Bytes of the device's memory taken by anything but
     allocate() and flush(): what kernels allocate themselves. -1: unknown. */
  int64_t (*memory_of_kernel)(void *state);
  /* Not required: a call is timed where the host runs it, and never waits. How the last calls were
   * timed, in a word. */
  const char *(*method)(void *state);
};

/* NULL when this pawl-worker has no such device. */
const struct host_device *host_device_find(int32_t kind);

extern const struct host_device host_device_cpu, host_device_cuda;
