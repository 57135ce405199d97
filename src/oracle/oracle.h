/* SPDX-License-Identifier: Apache-2.0 */
/* A problem: one case of one operator laid out in shared memory, its inputs drawn, the exact answer
   known, and the buffers guarded. The process that decides is this one; kernels only ever see the
   tensors. */
#ifndef PAWL_ORACLE_ORACLE_H
#define PAWL_ORACLE_ORACLE_H

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

/* Where the time of an operator's problems went, in seconds. */
struct pawl_time_spent {
  double start;    /* kernels' processes: started, made ready, ended */
  double inputs;   /* drawn */
  double expected; /* values had from the cache, the operator or a reference */
  double calls;    /* of kernels, with their copies from and to the device */
  double hashing;  /* of outputs, by the workers and by us */
  double compare;  /* of outputs with expected values, guard bands, inputs */
};

/* The process that computes answers on the GPU: oracle/gpu.h. */
struct pawl_oracle_gpu {
  struct pawl_worker *worker; /* NULL: not in use, or given up */
  bool greeted;
  const char *given_up;             /* why it is not in use any more; NULL */
  struct pawl_gpu_oracle_info info; /* once greeted */
  struct pawl_hash code; /* of the operator and of the GPU oracle: part of the answers' key */
  const char *machine;
  struct pawl_hash *trusted; /* trials that it has passed, here or in an earlier command */
  size_t trusted_count, trusted_capacity;
};

/* An operator that can be asked: its worker process, its own words, and where answers are cached.
 */
struct pawl_oracle {
  struct pawl_worker *worker;
  enum pawl_isolate isolate; /* of all its workers */
  struct pawl_operator_info info;
  struct pawl_hash code; /* identity of the code that answers: part of the cache key */
  const struct pawl_worker_options
      *reference; /* the kernel that answers instead of the operator; NULL: none */
  struct pawl_worker *reference_worker; /* NULL: not started yet */
  struct pawl_hash operator_code;
  struct pawl_oracle_gpu gpu; /* answers instead of the operator where it is in use and trusted */
  struct pawl_oracle_cache cache;
  struct pawl_shared tensors;    /* inputs and outputs, shared with kernel workers */
  uint64_t used;                 /* bytes of `tensors` that problems lie in */
  struct pawl_shared expected;   /* exact answers, shared with the operator's worker only */
  struct pawl_hash expected_key; /* of what `expected` holds now */
  bool expected_known;           /* `expected` holds something */
  const char
      *expected_by; /* who gave it: "cpu_f64" (the operator's own oracle), "gpu_f64", "reference" */
  struct pawl_time_spent spent;
  bool cache_failed; /* said once: the cache cannot be written */
  struct pawl_log *log;
  struct pawl_arena arena;
};

struct pawl_oracle_options {
  const char *name; /* of the operator */
  enum pawl_worker_driver driver;
  const char *plugin;                   /* PLUGIN: path of the .so */
  const struct pawl_known_files *files; /* as struct pawl_worker_options has it */
  const char *const *argv;              /* PROTOCOL */
  const char *folder;
  const char *cache_folder;             /* NULL: no cache */
  const struct pawl_seal_key *seal_key; /* of the cache; NULL: no cache */
  enum pawl_isolate isolate;
  double timeout_seconds;
  struct pawl_log *log;
};

pawl_status pawl_oracle_init(struct pawl_oracle *oracle, const struct pawl_oracle_options *options,
                             struct pawl_error *err);
/* Asks its processes to quit and does not wait: only pawl_oracle_release may follow. */
void pawl_oracle_dismiss(struct pawl_oracle *oracle);
void pawl_oracle_release(struct pawl_oracle *oracle);

/* Identity of a worker's code: the bytes of the plug-in and of the `files` that it loads, or the
   command's words and the files that they name. All may be NULL. */
struct pawl_hash pawl_oracle_code(const char *plugin, const struct pawl_known_files *files,
                                  const char *const *argv, const char *folder);

/* From now on this kernel's outputs are the expected values, as `oracle: reference NAME` asks for:
   they are as precise as its dtype, so that tolerances must allow for two roundings. NULL: the
   operator's own oracle again. Keeps `reference`; its tensors are set here. The process is started
   when it is first asked. */
void pawl_oracle_use_reference(struct pawl_oracle *oracle,
                               const struct pawl_worker_options *reference);

/* The operator's tolerance for a dtype, with what `spec` (or NULL) gives put over it. PAWL_CONFIG:
   the operator is not defined for the dtype. */
pawl_status pawl_oracle_tolerance(const struct pawl_oracle *oracle, int32_t dtype,
                                  const struct pawl_check_spec *spec, struct pawl_tolerance *out,
                                  struct pawl_error *err);

/* What the inputs of a set were drawn from. */
struct pawl_draw_source {
  const char *distribution; /* NULL: not filled yet */
  uint64_t seed;
  uint64_t tail_seed; /* of the second half of every input; `seed` unless said otherwise */
  bool exchanged;     /* then elements changed places, by this seed */
  uint64_t exchange_seed;
  bool noted; /* then somebody else changed the inputs, and noted them as they are */
};

/* Inputs of a set as one seed drew all of them. */
struct pawl_whole_draw {
  const char *distribution; /* NULL: there are none yet */
  uint64_t seed;
  struct pawl_hash hash;
};

/* One case laid out: `set_count` sets of all tensors, each buffer between two guard bands. */
struct pawl_problem {
  struct pawl_oracle *oracle;
  struct pawl_case config; /* resolved */
  struct pawl_work work;
  uint64_t first,
      end; /* where it lies in the oracle's tensors: from byte `first` to before `end` */
  int set_count;
  struct pawl_tensor_set *sets;    /* set_count of them, for pawl_worker_prepare */
  struct pawl_draw_source *source; /* of each set */
  struct pawl_whole_draw *whole;   /* of each set: the last one */
  struct pawl_hash *input_hash;    /* of each set: all inputs and inouts as drawn */
  struct pawl_hash *tensor_hash;   /* set * tensor_count + tensor: each input as drawn */
  bool permuted; /* inputs are as no run draws them: expected values are not kept */
  unsigned char *
      *inouts; /* of each set: a copy of its inouts as drawn, one after another; NULL: none */
  struct pawl_arena arena;
};

/* Lays the case out behind the problems that the oracle holds already; they are released in the
   opposite order. PAWL_CONFIG: bad shape. */
pawl_status pawl_problem_init(struct pawl_problem *problem, struct pawl_oracle *oracle,
                              const struct pawl_case *config, int set_count,
                              struct pawl_error *err);
void pawl_problem_release(struct pawl_problem *problem);

/* Draws the inputs of a set by Philox (key: seed; stream: tensor; counter: element), lets the
   operator adjust them, poisons the outputs with NaN bytes and the guard bands with a pattern, and
   notes the inputs' hash. Inouts get fresh values again. What stands there already, as its hash
   says, is not drawn again. PAWL_USAGE: no such distribution. */
pawl_status pawl_problem_fill(struct pawl_problem *problem, int set, const char *distribution,
                              uint64_t seed, struct pawl_error *err);
/* The same with the second half of every input drawn from another seed: a kernel that recognises
   its inputs by the beginning of a buffer, or by its address, gives itself away. */
pawl_status pawl_problem_fill_tail(struct pawl_problem *problem, int set, const char *distribution,
                                   uint64_t seed, uint64_t tail_seed, struct pawl_error *err);
/* Lets a few pairs of elements of each floating-point input of a filled set change places, until it
   is filled again: a kernel that recognises its inputs by some of their elements gives itself away.
 */
pawl_status pawl_problem_exchange(struct pawl_problem *problem, int set, uint64_t seed,
                                  struct pawl_error *err);
/* Whether elements of the inputs may change places: no operator has given them an order. */
bool pawl_problem_can_permute(const struct pawl_problem *problem);
/* Lets many pairs of elements of each input of a set change places, of whatever dtype; the same
   again takes it back. The caches hold none of the elements that changed. */
void pawl_problem_permute(struct pawl_problem *problem, int set, uint64_t seed);
/* The caches of no core hold anything of a set's tensors, where the processor lets a program do so.
 */
void pawl_problem_evict(const struct pawl_problem *problem, int set);
/* The inputs of the set as they are now are those that a comparison takes for granted. */
void pawl_problem_note_inputs(struct pawl_problem *problem, int set);
/* What a comparison takes for granted, to be put back when the inputs are again what they were: who
   notes them anew then would note what the kernel has changed. */
struct pawl_noted_inputs {
  struct pawl_hash all, tensors[PAWL_MAX_TENSORS];
  bool noted;
};
struct pawl_noted_inputs pawl_problem_noted_inputs(const struct pawl_problem *problem, int set);
void pawl_problem_note_again(struct pawl_problem *problem, int set,
                             const struct pawl_noted_inputs *noted);
/* Poisons the outputs of a filled set again and restores its inouts, so that the next call starts
 * afresh. */
pawl_status pawl_problem_reset(struct pawl_problem *problem, int set, struct pawl_error *err);

/* Bytes of the outputs, all of them. */
struct pawl_hash pawl_problem_output_hash(const struct pawl_problem *problem, int set);

/* Has the exact answer of a filled set ready, from the cache or from the operator;
   pawl_problem_compare does it itself, but then later after the call. PAWL_BAD_DATA: the operator's
   answer is not a number somewhere. PAWL_FAILED: the inputs are not as drawn any more. */
pawl_status pawl_problem_expect(struct pawl_problem *problem, int set, struct pawl_error *err);

#define PAWL_ERRORS_REASON 256
/* Numbers that are not known are NaN. */
struct pawl_error_stats {
  bool passed;
  double max_abs_error, max_rel_error, mean_abs_error, correlation, rel_rms_error;
  long long wrong; /* elements out of tolerance, NaN or infinite where they must not be */
  char reason[PAWL_ERRORS_REASON]; /* why it did not pass: the first wrong element by tensor and
                                    * index, expected and got; "" if passed
                                    */
  const char *oracle; /* who gave the expected values, as `expected_by`; NULL: none were needed */
};
/* Compares the outputs of a set with the oracle (from the cache where it is known), and looks at
   everything that a wrong kernel may have done besides: guard bands, changed inputs, constant
   outputs, elements never written. `tolerance` holds atol, rtol and rel_rms. PAWL_OK also when the
   kernel is wrong: out->passed tells. */
pawl_status pawl_problem_compare(struct pawl_problem *problem, int set,
                                 const struct pawl_tolerance *tolerance,
                                 struct pawl_error_stats *out, struct pawl_error *err);

#endif
