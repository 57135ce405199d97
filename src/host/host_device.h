/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of device: where a kernel's tensors live, and how a call is timed there. host_device.c has
   a table of all kinds. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"
#include "pawl/kernel.h"
#include "protocol/output_hash.h"
#include "protocol/stamp.h"

/* A range of device memory. */
struct host_span {
  void *data;
  size_t bytes;
};

/* The elements of a tensor on the device, `size` bytes each. */
struct host_elements {
  void *data;
  uint64_t count, size;
};

/* The result of timed calls. */
struct host_timing {
  double ns;
  /* the first result of launch() other than 0; the calls then have no time */
  int number;
  /* the device may have been idle inside `ns`, because the host enqueued the work too late */
  bool waited;
  bool can_help; /* it waited, but may not wait if the calls are timed again */
};

/* Bytes of outputs that the device overwrites between the calls of a batch. Each of the last
   `count` calls has one before it. */
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

/* A call that the device repeats to count its work. */
struct host_counted {
  /* Runs before each call and restores the same inputs and the same state of the caches. */
  pawl_status (*prepare)(void *user, struct pawl_error *err);
  pawl_status (*call)(void *user, struct pawl_error *err);
  void *user;
};

/* Whether a timed call waits for its inputs (protocol/stamp.h). COLD: it flushes the caches first.
   WARM: the device loads the inputs into its caches. */
enum host_late { HOST_NOT_LATE, HOST_LATE_COLD, HOST_LATE_WARM };

struct host_device {
  int32_t kind;  /* enum pawl_device_kind */
  bool in_place; /* kernels use the shared memory itself, without uploads and downloads */
  /* outputs are no copies of the shared memory: nobody writes them before the kernel */
  bool unwritten_outputs;
  enum pawl_output_hash_kind hash_kind; /* the kind of hash that `hash` computes */

  pawl_status (*open)(void **state, struct pawl_error *err);
  void (*close)(void *state);
  /* Allocates device memory, aligned to 256 bytes. */
  pawl_status (*allocate)(void *state, size_t bytes, void **out, struct pawl_error *err);
  void (*release)(void *state, void *data, size_t bytes);
  pawl_status (*upload)(void *state, void *to, const void *from, size_t bytes,
                        struct pawl_error *err);
  pawl_status (*download)(void *state, void *to, const void *from, size_t bytes,
                          struct pawl_error *err);
  /* Optional. Lets the device copy to and from these bytes of the host directly, until unpin.
     Returns false if it cannot; copies still work then. */
  bool (*pin)(void *state, void *data, size_t bytes);
  void (*unpin)(void *state, void *data);
  pawl_status (*fill)(void *state, void *data, int byte, size_t bytes, struct pawl_error *err);
  /* Optional. Like fill, for calls that nothing times. Memory that nobody has written since the
     last refill costs no time, but the next write to a page may take longer. */
  pawl_status (*refill)(void *state, void *data, int byte, size_t bytes, struct pawl_error *err);
  /* Reads or writes `bytes` bytes of its own buffer, so that caches of that size hold nothing
     else. */
  pawl_status (*flush)(void *state, size_t bytes, struct pawl_error *err);
  /* Optional. Removes these bytes from the caches, however large the caches are. */
  void (*evict)(void *state, const void *data, size_t bytes);
  pawl_status (*hash)(void *state, const struct host_span *spans, int count, struct pawl_hash *out,
                      struct pawl_error *err);
  /* Optional. Records the work that launch() enqueues in `calls` calls, without running it; the
   * next time_calls() of the same calls replays it. It must come before the outputs are poisoned,
   * so that no other work of launch() can replace the replay. time_calls() handles calls that
   * cannot be recorded. */
  pawl_status (*record)(void *state, const struct pawl_kernel *kernel, struct pawl_launch *launch,
                        int calls, const struct host_poisons *poisons, struct pawl_error *err);
  /* Calls the kernel `calls` times in a row, waits until the device has done all the work, and
   * fills `timing`. `poisons` are those of record, or NULL for none. */
  pawl_status (*time_calls)(void *state, const struct pawl_kernel *kernel,
                            struct pawl_launch *launch, int calls,
                            const struct host_poisons *poisons, struct host_timing *timing,
                            struct pawl_error *err);
  /* Optional. Returns whether the device replays recorded calls. None of the kernel's host code
     then runs between them, and many calls fit one recording. A device without it always does. */
  bool (*replays)(void *state);
  /* Optional. Right before the next timed call, after all enqueued work, the device exchanges a few
     elements within each of these tensors, at places that it draws. Without `swap` it only rewrites
     them. Returns false if it cannot. */
  bool (*exchange)(void *state, const struct host_elements *inputs, int count, bool swap);
  /* Optional. Waits until the device has done all work of this process. */
  pawl_status (*drain)(void *state, struct pawl_error *err);
  /* Required with exchange. Reverses the last exchange. */
  pawl_status (*take_back)(void *state, struct pawl_error *err);
  /* Optional. Begins or ends the range that a profiler records. */
  pawl_status (*profile)(void *state, bool begin, struct pawl_error *err);
  /* Optional. Returns the counters of the last range, as a new reference to an object. */
  json_t *(*counters)(void *state);
  /* Optional. Counts the work of a call and sets *out to a new reference to an object. Makes the
     call as often as the metrics need. If `metrics` is no list, it samples the
     program counter (of CPU kernels alone). See cuda_counters.h and processor_samples.h. */
  pawl_status (*count)(void *state, const json_t *metrics, const struct host_counted *counted,
                       json_t **out, struct pawl_error *err);
  /* Optional. Empties the caches of all tensors, and of all data that is not yet written to
     memory. */
  pawl_status (*empty_caches)(void *state, struct pawl_error *err);
  /* Optional. Adds a busy wait of this many nanoseconds to each later timed call, inside the timed
     region. Its code path does not depend on its length. 0 removes the wait and cannot fail. */
  pawl_status (*delay)(void *state, int64_t ns, struct pawl_error *err);
  /* Optional. From now on time_calls adds 1 to this word right after it reads the clock, before
     the first call and after the last. NULL ends this. `late`: before the first reading, it waits
     for its inputs. See protocol/stamp.h. */
  void (*stamp)(void *state, pawl_stamp *word, enum host_late late);
  /* Optional. Announces a request. Device memory that others than pawl allocate from here to the
     last call counts as the kernel's. Meanwhile no other process may use the device. */
  void (*begin_request)(void *state);
  /* Optional, with begin_request. Returns the bytes of device memory that kernels allocated
     themselves, outside allocate() and flush(). Returns -1 if they are unknown. */
  int64_t (*memory_of_kernel)(void *state);
  /* Optional. Returns a word for how the last calls were timed. A device without it times a call
     where the host runs it, and never waits. */
  const char *(*method)(void *state);
};

/* Returns NULL if this pawl-worker has no such device. */
const struct host_device *host_device_find(int32_t kind);

extern const struct host_device host_device_cpu, host_device_cpu_apart, host_device_cuda;
