/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep: the kernels and references of a suite, measured side by side on many shapes. Its folder
   holds the plan, the raw samples, and files that follow from these two. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "device/device.h"
#include "model/case.h"
#include "model/fields.h"
#include "model/result.h"

#define PAWL_SWEEP_SCHEMA 1
#define PAWL_SWEEP_PLAN "sweep.json"
/* one block a line: a sweep in progress, and a complete one */
#define PAWL_SWEEP_JOURNAL "samples.ndjson"
#define PAWL_SWEEP_SAMPLES "samples.ndjson.gz"
#define PAWL_SWEEP_SUMS "SHA256SUMS"
/* the most bytes of a file, of the samples unpacked */
#define PAWL_SWEEP_FILE_LIMIT ((size_t)1 << 30)

/* A kernel or a reference. */
struct pawl_sweep_arm {
  const char *name, *operator_name;
  const char *device; /* "cpu", "cuda" */
  bool reference;
  const char *code;      /* the identity of its machine code; NULL: unknown */
  const char *arch;      /* the GPU architecture of the code; NULL: unknown, or none */
  const char *toolchain; /* its compiler; NULL: unknown, or none */
  const char *missing;   /* why it is not measured; NULL: it is */
};

/* A shape on a device. Its arms are those of its operator and device. */
struct pawl_sweep_point {
  const char *case_name, *operator_name, *device;
  struct pawl_case shape;
  int rounds;                    /* the rounds of a block */
  double flop, bytes;            /* the work of one call; the bytes are the compulsory ones */
  double peak_gflops, peak_gb_s; /* the peaks of the device for the dtype; NaN: unknown */
  const char *computes;          /* the operator in one line; NULL: unknown */
  double atol,
      rtol; /* how much a value may differ: atol + rtol times the exact one; both 0: unknown */
};

struct pawl_sweep_plan {
  const char *pawl;              /* the version that measured */
  const char *commit;            /* the commit of the kernels; NULL: no git */
  bool dirty;                    /* the tree has changes beside that commit */
  const char *hardware;          /* the identity: pawl_device_identity() */
  const char *system, *driver;   /* "Linux 6.1.0 x86_64"; the GPU driver; NULL: unknown */
  const char *cache;             /* "cold", "warm" */
  const char *started;           /* UTC */
  uint64_t seed;                 /* draws the inputs, the orders of points and of arms */
  double precision;              /* the wanted half width of an interval, as a fraction */
  int least_blocks, most_blocks; /* limits of the blocks of a point */
  int samples, warmup;           /* the calls of an arm in a block */
  struct pawl_sweep_arm *arms;
  size_t arm_count;
  struct pawl_sweep_point *points;
  size_t point_count;
};

/* The result of one arm in a block. */
struct pawl_sweep_timing {
  const char *arm;
  enum pawl_outcome outcome;
  const char *reason; /* NULL: OK */
  double *samples_ms; /* in time order */
  size_t sample_count;
  /* times on usual inputs, then as many on new ones: measure/integrity/fresh_pairs.h */
  double *fresh_ms;
  size_t fresh_count;
  const char *isolation;
  /* the program's description of itself, in the arm's first block of a point; NULL: none */
  const json_t *environment;
};

/* The state of the device around a block; NaN: unknown. */
struct pawl_sweep_state {
  double frequency_mhz, memory_frequency_mhz, temperature_c, power_w;
};

/* One fresh process of each arm, measured in interleaved rounds. */
struct pawl_sweep_block {
  size_t point, number;  /* the index of the point; the number among its blocks */
  const char *started;   /* UTC */
  int first_arm;         /* the index among the timings of the arm that started first */
  const char *spoiled;   /* why it does not count; NULL: it counts */
  const char *throttled; /* how the GPU's clock was throttled; NULL: it was not, or nobody knows */
  struct pawl_sweep_state before, after;
  double other_busy;     /* CPUs that other programs used; NaN: unknown */
  bool fresh;            /* after the samples each arm had a call on inputs that it never saw */
  const char *evaluator; /* "2 on NODE, DEVICE": who measured it; NULL: pawl itself */
  struct pawl_sweep_timing *timings;
  size_t timing_count;
};

struct pawl_sweep {
  struct pawl_sweep_plan plan;
  struct pawl_sweep_block *blocks; /* heap */
  size_t block_count, block_capacity;
  json_t *documents; /* keeps the borrowed environments alive */
};

void pawl_sweep_release(struct pawl_sweep *sweep);

extern const struct pawl_fields pawl_sweep_plan_fields, pawl_sweep_arm_fields,
    pawl_sweep_block_fields;

/* Returns whether the plan measures this arm at this point. */
bool pawl_sweep_takes_part(const struct pawl_sweep_arm *arm, const struct pawl_sweep_point *point);
/* Returns whether blocks can compare the two: both are measured, with one operator and on one kind
 * of device. */
bool pawl_sweep_meets(const struct pawl_sweep_arm *a, const struct pawl_sweep_arm *b);
/* Returns the arm's timing in the block, or NULL. */
const struct pawl_sweep_timing *pawl_sweep_timing_of(const struct pawl_sweep_block *block,
                                                     const char *arm);

/* Reads the plan and the blocks of a sweep's folder. A block that is cut off at the end, by a
 * killed writer, does not exist. Fails with PAWL_NO_INPUT without a plan, and with PAWL_BAD_DATA,
 * which names file, line and key. Release it. */
pawl_status pawl_sweep_read(const char *folder, struct pawl_arena *arena, struct pawl_sweep *out,
                            struct pawl_error *err);
/* Reads the next block. counts[point] has the blocks of each point so far, and grows. The JSON must
 * outlive the sweep. Fails with PAWL_BAD_DATA. */
pawl_status pawl_sweep_read_block(struct pawl_sweep *sweep, const json_t *line, size_t *counts,
                                  const struct pawl_json_path *path, struct pawl_arena *arena,
                                  struct pawl_error *err);
/* Returns the blocks of a point, with the spoiled ones. */
size_t pawl_sweep_count_blocks(const struct pawl_sweep *sweep, size_t point);
/* Returns the blocks of a point without the spoiled ones. */
size_t pawl_sweep_count_counted(const struct pawl_sweep *sweep, size_t point);
/* Returns the blocks of a point with a call on fresh inputs, without the spoiled ones. */
size_t pawl_sweep_count_fresh(const struct pawl_sweep *sweep, size_t point);
/* Takes a block, whose strings and numbers the caller keeps. */
void pawl_sweep_add(struct pawl_sweep *sweep, const struct pawl_sweep_block *block);
