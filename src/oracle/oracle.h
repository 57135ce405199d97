/* SPDX-License-Identifier: Apache-2.0 */
/* A problem: one case of an operator in shared memory, with drawn inputs, expected values and guard
 * bands. pawl's own process compares; kernels only see the tensors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/case.h"
#include "model/check_spec.h"
#include "model/operator_info.h"
#include "oracle/cache.h"
#include "worker/worker.h"

/* The seconds that pawl spent on an operator's problems. */
struct pawl_time_spent {
  /* On the start, the preparation and the end of the kernels' processes. */
  double start;
  double inputs;   /* on drawing inputs */
  double expected; /* on expected values, from the cache, the operator or a reference */
  double calls;    /* on kernels, with the copies from and to the device */
  double hashing;  /* on hashes of outputs, in the workers and in pawl */
  double compare;  /* on comparisons of outputs, guard bands and inputs */
};

/* The process that computes expected values on the GPU: oracle/gpu.h. */
struct pawl_oracle_gpu {
  struct pawl_worker *worker; /* NULL: not in use */
  bool greeted;
  const char *given_up;             /* why its use ended; NULL: it did not */
  struct pawl_gpu_oracle_info info; /* after its hello */
  /* Covers the operator and the GPU oracle; a part of the answers' key. */
  struct pawl_hash code;
  const char *machine;
  /* Trials that it passed, in this command or an earlier one. */
  struct pawl_hash *trusted;
  size_t trusted_count, trusted_capacity;
};

/* A running operator: its worker process, its description, and the cache of its answers. */
struct pawl_oracle {
  struct pawl_worker *worker;
  enum pawl_isolate isolate; /* for all its workers */
  struct pawl_operator_info info;
  /* Identifies the code that answers; a part of the cache key. */
  struct pawl_hash code;
  /* The kernel that answers in place of the operator; NULL: none. */
  const struct pawl_worker_options *reference;
  /* The source that `reference` is: "reference", "base" or "itself". */
  const char *reference_is;
  int64_t
      gpu_bytes; /* the memory of the GPU of the kernel under test; 0: unknown, or a CPU kernel */
  bool by_base;  /* a reference must answer, which depends on the kernel under test */
  struct pawl_worker *reference_worker; /* NULL: not started yet */
  struct pawl_hash operator_code;
  /* Answers in place of the operator where it is in use and trusted. */
  struct pawl_oracle_gpu gpu;
  struct pawl_oracle_cache cache;
  struct pawl_shared tensors; /* inputs and outputs, shared with kernel workers */
  uint64_t used;              /* bytes of `tensors` in use */
  /* Expected values, shared only with the operator's worker. */
  struct pawl_shared expected;
  struct pawl_hash expected_key; /* the key of the contents of `expected` */
  bool expected_known;           /* `expected` has contents */
  /* The source of the values: "cpu_f64" (the operator's own oracle), "gpu_f64", or
   * what `reference_is` says. */
  const char *expected_by;
  struct pawl_time_spent spent;
  bool cache_failed; /* a warning that the cache is not writable has been given */
  struct pawl_log *log;
  struct pawl_arena arena;
};

struct pawl_oracle_options {
  /* The operator's name, code, folder, isolation and timeout. pawl_oracle_init() adds the rest. */
  struct pawl_worker_options worker;
  const char *cache_folder;             /* NULL: no cache */
  const struct pawl_seal_key *seal_key; /* the cache's; NULL: no cache */
  struct pawl_log *log;
};

pawl_status pawl_oracle_init(struct pawl_oracle *oracle, const struct pawl_oracle_options *options,
                             struct pawl_error *err);
/* Asks its processes to quit and does not wait. Only pawl_oracle_release() may follow. */
void pawl_oracle_dismiss(struct pawl_oracle *oracle);
void pawl_oracle_release(struct pawl_oracle *oracle);

/* Returns the identity of a worker's code: the plug-in, or the command's words and the files that
 * they name. It covers what the code names and may read when it runs (build/named_files.h,
 * build/other_inputs.h). */
struct pawl_hash pawl_oracle_code(const struct pawl_worker_options *worker);

/* Makes this kernel's outputs the expected values, as `oracle: reference NAME` asks. They are as
 * precise as its dtype. NULL: the operator's own oracle
 * again. Keeps `reference` and sets its tensors. The process starts at the first request. */
void pawl_oracle_use_reference(struct pawl_oracle *oracle,
                               const struct pawl_worker_options *reference, const char *is);

/* Returns the operator's tolerance for a dtype, overridden by `spec` (or NULL). NaN:
 * pawl_problem_compare() takes the error of the precision. If `spec` gives atol or rtol, it decides
 * alone. PAWL_CONFIG: the operator does not support the dtype. */
pawl_status pawl_oracle_tolerance(const struct pawl_oracle *oracle, int32_t dtype,
                                  const struct pawl_check_spec *spec, struct pawl_tolerance *out,
                                  struct pawl_error *err);

/* The source of a set's inputs. */
struct pawl_draw_source {
  const char *distribution; /* NULL: not filled yet */
  uint64_t seed;
  /* The seed of the second half of every input; usually `seed`. */
  uint64_t tail_seed;
  bool exchanged; /* then pawl exchanged elements, by this seed */
  uint64_t exchange_seed;
  bool noted; /* then something changed the inputs, and pawl noted them as they are */
  /* A timed call had other inputs, which are still in place: oracle/renew.h. */
  bool renewed;
};

/* The last draw of all inputs of a set from one seed. */
struct pawl_whole_draw {
  const char *distribution; /* NULL: none yet */
  uint64_t seed;
  struct pawl_hash hash;
};

/* The hashes of a set's inputs, which a comparison expects. */
struct pawl_noted_inputs {
  struct pawl_hash all, tensors[PAWL_MAX_TENSORS];
  bool noted; /* something else changed them, and pawl noted them as they are */
};

/* Inputs that pawl keeps in private memory: oracle/renew.h. */
struct pawl_kept_draw {
  const char *distribution; /* NULL: none yet */
  uint64_t seed;
  bool hashed;
  struct pawl_noted_inputs noted; /* if it is hashed */
};

#define PAWL_GIVEN_SETS 48

/* A case in shared memory: `set_count` sets of all tensors, each between two guard bands. */
struct pawl_problem {
  struct pawl_oracle *oracle;
  struct pawl_case config; /* with all values resolved */
  struct pawl_work work;
  /* It is in the oracle's tensors from byte `first` to before `end`. */
  uint64_t first, end;
  int set_count;
  struct pawl_tensor_set *sets;    /* set_count sets, for pawl_worker_prepare() */
  struct pawl_draw_source *source; /* for each set */
  struct pawl_whole_draw *whole;   /* for each set: the last whole draw */
  struct pawl_hash *input_hash;    /* for each set: the hash of all inputs and inouts as drawn */
  struct pawl_hash *tensor_hash; /* at set * tensor_count + tensor: the hash of an input as drawn */
  /* The inputs are permuted, so pawl does not store their expected values. */
  bool permuted;
  /* For each set, a copy of its inouts as drawn, one after another; NULL: none. */
  unsigned char **inouts;
  /* Private memory for new inputs: oracle/renew.h; NULL: none yet. Behind the inputs of one call it
   * holds kept draws, two for each set, unless they are too large. */
  void *spare;
  uint64_t spare_bytes;
  unsigned char *drawn;        /* the last drawn inputs, in this memory */
  struct pawl_kept_draw *kept; /* NULL: too large */
  int64_t draw_ns;             /* the least time of a draw of new inputs; 0: unknown */
  /* private memory with new inputs for GPUs, each of a set (oracle/renew.h); NULL: not drawn yet */
  unsigned char *given[PAWL_GIVEN_SETS];
  uint64_t given_bytes;
  struct pawl_arena arena;
};

/* Places the case behind the oracle's other problems. Release problems in the opposite order.
 * PAWL_CONFIG: bad shape. */
pawl_status pawl_problem_init(struct pawl_problem *problem, struct pawl_oracle *oracle,
                              const struct pawl_case *config, int set_count,
                              struct pawl_error *err);
void pawl_problem_release(struct pawl_problem *problem);

/* Draws the inputs of a set by Philox (key: seed; stream: tensor; counter: element) and lets the
 * operator adjust them. Poisons the outputs with NaN bytes, writes the guard bands, notes the
 * inputs' hash and draws the inouts. Inputs whose hash shows that they are in place are not drawn
 * again. PAWL_USAGE: no such distribution. */
pawl_status pawl_problem_fill(struct pawl_problem *problem, int set, const char *distribution,
                              uint64_t seed, struct pawl_error *err);
/* Does the same, with the second half of every input from another seed. So a kernel fails that
 * recognises its inputs by their beginning or by the buffer's address. */
pawl_status pawl_problem_fill_tail(struct pawl_problem *problem, int set, const char *distribution,
                                   uint64_t seed, uint64_t tail_seed, struct pawl_error *err);
/* Exchanges a few pairs of elements of each floating-point input until the set is filled again. So
 * a kernel fails that recognises its inputs by some of their elements. */
pawl_status pawl_problem_exchange(struct pawl_problem *problem, int set, uint64_t seed,
                                  struct pawl_error *err);
/* Returns whether pawl may exchange elements of the inputs: no operator has given them an order. */
bool pawl_problem_can_permute(const struct pawl_problem *problem);
/* Exchanges many pairs of elements of each input of a set, whatever its dtype. A second call
 * restores the inputs. It evicts the changed elements from the caches. */
void pawl_problem_permute(struct pawl_problem *problem, int set, uint64_t seed);
/* Evicts a set's tensors from the caches of all cores, where the processor lets a program do so. */
void pawl_problem_evict(const struct pawl_problem *problem, int set);
/* Notes the set's current inputs as those that a comparison expects. */
void pawl_problem_note_inputs(struct pawl_problem *problem, int set);
/* The noted inputs of a set, to restore later. A new note would accept the changes of a kernel. */
struct pawl_noted_inputs pawl_problem_noted_inputs(const struct pawl_problem *problem, int set);
void pawl_problem_note_again(struct pawl_problem *problem, int set,
                             const struct pawl_noted_inputs *noted);
/* Poisons the outputs of a filled set and restores its inouts before the next call. */
pawl_status pawl_problem_reset(struct pawl_problem *problem, int set, struct pawl_error *err);
/* Makes the shared memory look as before the first block, so that a kernel cannot tell a later one.
 * Outputs are poison again, nothing is beside the tensors, and the words of calls and turns
 * (protocol/stamp.h) are 0. No request may be under way. */
void pawl_problem_hide_blocks(struct pawl_problem *problem);

/* Returns the bytes of all outputs together. */
struct pawl_hash pawl_problem_output_hash(const struct pawl_problem *problem, int set);

/* Computes the expected values of a filled set or reads them from the cache. pawl_problem_compare()
 * does this itself, but later after the call. PAWL_BAD_DATA: an expected value is NaN. PAWL_FAILED:
 * the inputs have changed. */
pawl_status pawl_problem_expect(struct pawl_problem *problem, int set, struct pawl_error *err);

#define PAWL_ERRORS_REASON 256
/* Unknown numbers are NaN. */
struct pawl_error_stats {
  bool passed;
  double max_abs_error, max_rel_error, mean_abs_error, correlation, rel_rms_error;
  double rtol; /* the largest relative tolerance of a tensor; 0: pawl compared nothing */
  /* Elements out of tolerance, or NaN or infinite where the expected value is not. */
  long long wrong;
  /* Why it did not pass: the first wrong element with its tensor, index, expected and actual value;
   * "": it passed. */
  char reason[PAWL_ERRORS_REASON];
  /* The source of the expected values, as in `expected_by`; NULL: none were necessary. */
  const char *oracle;
};
/* Compares the outputs of a set with the expected values. Also checks the guard bands, the inputs,
 * and for constant or unwritten outputs. `tolerance` holds atol, rtol and rel_rms. PAWL_OK even if
 * the kernel is wrong: see out->passed. */
pawl_status pawl_problem_compare(struct pawl_problem *problem, int set,
                                 const struct pawl_tolerance *tolerance,
                                 struct pawl_error_stats *out, struct pawl_error *err);
