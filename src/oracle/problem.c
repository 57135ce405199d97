/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bulk.h"
#include "base/cache_evict.h"
#include "base/clock.h"
#include "base/philox.h"
#include "oracle/expected.h"
#include "oracle/fill.h"
#include "oracle/layout.h"
#include "oracle/oracle.h"
#include "protocol/output_hash.h"
#include "protocol/stamp.h"
#include "protocol/swap.h"

#define POISON 0xff /* NaN in every float dtype */
/* The exchanged pairs of each input: too many for a kernel to repair a stored result. */
#define PERMUTED_PAIRS 4096u

static bool has_output(const struct pawl_work *work) {
  for (int i = 0; i < work->tensor_count; i++)
    if (work->tensors[i].role != PAWL_IN) return true;
  return false;
}

/* Refuses a case without elements in the words of the suite. */
static pawl_status check_elements(const struct pawl_problem *problem, const char *shape,
                                  struct pawl_error *err) {
  for (int i = 0; i < problem->work.tensor_count; i++) {
    const struct pawl_tensor_spec *spec = &problem->work.tensors[i];
    for (int32_t d = 0; d < spec->ndim; d++)
      if (spec->size[d] == 0)
        return pawl_fail(err, PAWL_CONFIG,
                         "the shape %s gives tensor '%s' of operator '%s' no elements: its size %d "
                         "is 0; choose a larger size",
                         shape, spec->name, problem->oracle->info.name, d + 1);
  }
  return PAWL_OK;
}

/* Refuses a case before pawl fills any memory: the machine would swap, or end other programs. A GPU
   that cannot hold one set of the tensors would fail after the fill. */
static pawl_status check_memory(const struct pawl_problem *problem, const char *shape,
                                struct pawl_error *err) {
  const double gib = 1024.0 * 1024 * 1024, gpu = (double)problem->oracle->gpu_bytes;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  double memory = pages > 0 && page > 0 ? (double)pages * (double)page : INFINITY;
  const double one_set = (double)(problem->end - problem->first) / problem->set_count;
  const bool too_large_for_gpu = gpu > 0 && one_set > gpu;
  if ((double)problem->end <= memory && !too_large_for_gpu) return PAWL_OK;
  if (too_large_for_gpu) memory = gpu;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text sizes = {0};
  for (int i = 0; i < problem->sets[0].count; i++) {
    const struct pawl_placed_tensor *tensor = &problem->sets[0].tensors[i];
    pawl_text_printf(&sizes, "%s'%s' %.1f GiB", i ? ", " : "", tensor->spec.name,
                     (double)tensor->bytes / gib);
  }
  if (problem->set_count > 1 && !too_large_for_gpu)
    pawl_text_printf(&sizes, ", %d times", problem->set_count);
  return pawl_fail(err, PAWL_CONFIG,
                   "the shape %s needs %.1f GiB for the tensors of operator '%s' (%s), but this "
                   "%s has %.1f GiB of memory; choose smaller sizes",
                   shape, (too_large_for_gpu ? one_set : (double)problem->end) / gib,
                   problem->oracle->info.name, pawl_text_string(&sizes),
                   too_large_for_gpu ? "GPU" : "machine", memory / gib);
}

static pawl_status lay_out(struct pawl_problem *problem, const struct pawl_case *config,
                           struct pawl_error *err) {
  struct pawl_oracle *oracle = problem->oracle;
  PAWL_TRY(pawl_case_resolve(config, &oracle->info, &problem->arena, &problem->config, err));
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  PAWL_TRY(pawl_worker_tensors(oracle->worker, &shape, &problem->arena, &problem->work, err));
  if (!has_output(&problem->work))
    return pawl_fail(err, PAWL_CONFIG, "operator '%s' has no output", oracle->info.name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_case_key(&problem->config, &key);
  PAWL_TRY(check_elements(problem, pawl_text_string(&key), err));
  PAWL_TRY(pawl_layout_sets(&problem->work, problem->config.dtype, PAWL_TENSOR_ARENA,
                            problem->first, problem->set_count, &problem->arena, &problem->sets,
                            &problem->end, err));
  PAWL_TRY(check_memory(problem, pawl_text_string(&key), err));
  return pawl_shared_grow(&oracle->tensors, problem->end, err);
}

pawl_status pawl_problem_init(struct pawl_problem *problem, struct pawl_oracle *oracle,
                              const struct pawl_case *config, int set_count,
                              struct pawl_error *err) {
  PAWL_ASSERT(set_count > 0);
  struct pawl_problem made = {.oracle = oracle, .set_count = set_count, .first = oracle->used};
  const enum pawl_status_code status = lay_out(&made, config, err);
  if (status != PAWL_OK) {
    pawl_arena_clear(&made.arena);
    return status;
  }
  const size_t sets = (size_t)set_count;
  made.source = pawl_arena_alloc(&made.arena, sets, sizeof *made.source);
  made.whole = pawl_arena_alloc(&made.arena, sets, sizeof *made.whole);
  made.input_hash = pawl_arena_alloc(&made.arena, sets, sizeof *made.input_hash);
  made.tensor_hash = pawl_arena_alloc(&made.arena, sets * (size_t)made.work.tensor_count,
                                      sizeof *made.tensor_hash);
  made.inouts = pawl_arena_alloc(&made.arena, sets, sizeof *made.inouts);
  oracle->used = made.end;
  *problem = made;
  return PAWL_OK;
}

void pawl_problem_release(struct pawl_problem *problem) {
  if (!problem) return;
  if (problem->oracle) {
    /* problems are released in the opposite order */
    PAWL_ASSERT(problem->oracle->used == problem->end);
    problem->oracle->used = problem->first;
  }
  pawl_bulk_free(problem->spare, problem->spare_bytes);
  for (int i = 0; i < PAWL_GIVEN_SETS; i++) pawl_bulk_free(problem->given[i], problem->given_bytes);
  for (int s = 0; problem->inouts && s < problem->set_count; s++) pawl_free(problem->inouts[s]);
  pawl_arena_clear(&problem->arena);
  *problem = (struct pawl_problem){0};
}

/* `source` holds the seeds. `tail`: only the second half. */
static void draw_tensor(const struct pawl_problem *problem, int set, int tensor,
                        const struct pawl_distribution_info *distribution,
                        const struct pawl_draw_source *source, bool tail) {
  const struct pawl_placed_tensor *placed = &problem->sets[set].tensors[tensor];
  void *data = problem->oracle->tensors.map + placed->offset;
  const int64_t count = pawl_placed_elements(placed), half = count / 2;
  const bool whole = source->tail_seed == source->seed;
  if (!tail)
    pawl_fill_draw(problem, set, tensor, distribution, source->seed, data, 0, whole ? count : half,
                   0);
  if (tail || !whole)
    pawl_fill_draw(problem, set, tensor, distribution, source->tail_seed, data, half, count, 0);
}

/* Returns the first tensor of a set in the shared memory. */
static unsigned char *first_tensor(const struct pawl_problem *problem, int set) {
  return problem->oracle->tensors.map + problem->sets[set].tensors[0].offset;
}

/* Poisons the outputs, and restores the inouts and the guard bands. */
static void start_afresh(struct pawl_problem *problem, int set) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  unsigned char *map = problem->oracle->tensors.map;
  const unsigned char *from = problem->inouts[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role == PAWL_OUT) pawl_bulk_fill(map + t->offset, POISON, t->bytes);
    if (t->spec.role != PAWL_INOUT) continue;
    memcpy(map + t->offset, from, t->bytes);
    from += t->bytes;
  }
  pawl_guards_write(tensors, map);
}

/* Hashes each input and inout of a set as it is now. The hashes of outputs stay. */
static void hash_inputs(const struct pawl_problem *problem, int set, struct pawl_hash *out) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role != PAWL_OUT)
      out[i] = pawl_bulk_hash(problem->oracle->tensors.map + t->offset, t->bytes);
  }
}

int pawl_problem_changed_input(const struct pawl_problem *problem, int set) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  struct pawl_hash now[PAWL_MAX_TENSORS];
  hash_inputs(problem, set, now);
  for (int i = 0; i < tensors->count; i++)
    if (tensors->tensors[i].spec.role == PAWL_IN &&
        !pawl_hash_equal(now[i], problem->tensor_hash[set * tensors->count + i]))
      return i;
  return -1;
}

static void note_hashes(struct pawl_problem *problem, int set) {
  pawl_fill_note(problem, set, first_tensor(problem, set));
}

static void swap_elements(unsigned char *data, size_t size, const struct pawl_swaps *swaps) {
  for (int i = 0; i < swaps->count; i++) {
    unsigned char *a = data + swaps->places[i][0] * size, *b = data + swaps->places[i][1] * size,
                  kept[8];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
  }
}

/* A second call restores the inputs. */
static void exchange_elements(const struct pawl_problem *problem, int set, uint64_t seed) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    uint64_t random[PAWL_SWAPS][2];
    for (int e = 0; e < PAWL_SWAPS; e++) {
      uint32_t words[4];
      pawl_philox(seed, (uint64_t)i, (uint64_t)e, words);
      random[e][0] = words[0], random[e][1] = words[1];
    }
    const struct pawl_swaps swaps = pawl_swaps_choose(t, random);
    swap_elements(problem->oracle->tensors.map + t->offset, pawl_dtype_size(t->spec.dtype), &swaps);
  }
}

/* Returns whether the set holds the inputs of this seed, apart from their second half and from
 * exchanged elements. */
static bool stands(const struct pawl_problem *problem, int set,
                   const struct pawl_distribution_info *distribution, uint64_t seed) {
  const struct pawl_draw_source *now = &problem->source[set];
  return now->distribution && !strcmp(now->distribution, distribution->name) && now->seed == seed &&
         !now->noted && !now->renewed && !distribution->adjust &&
         pawl_problem_changed_input(problem, set) < 0;
}

/* Returns whether it drew all inputs. */
static bool draw(struct pawl_problem *problem, int set,
                 const struct pawl_distribution_info *distribution,
                 const struct pawl_draw_source *source, bool afresh) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  const struct pawl_draw_source now = problem->source[set];
  const bool stood = !afresh && stands(problem, set, distribution, source->seed);
  if (stood && now.exchanged) exchange_elements(problem, set, now.exchange_seed);
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    /* calls have written to inouts */
    const bool kept = stood && t->spec.role == PAWL_IN;
    if (t->spec.role == PAWL_OUT || (kept && now.tail_seed == source->tail_seed)) continue;
    draw_tensor(problem, set, i, distribution, source, kept);
  }
  return !stood;
}

static pawl_status put_inputs(struct pawl_problem *problem, int set,
                              const struct pawl_distribution_info *distribution,
                              const struct pawl_draw_source *source, bool afresh, bool *drew_all,
                              struct pawl_error *err) {
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  *drew_all = draw(problem, set, distribution, source, afresh);
  problem->source[set].distribution = NULL;
  if (distribution->adjust)
    PAWL_TRY(pawl_worker_adjust(problem->oracle->worker, &shape, distribution->name, source->seed,
                                &problem->sets[set], err));
  problem->source[set] = *source;
  pawl_fill_save_inouts(problem, set, first_tensor(problem, set));
  start_afresh(problem, set);
  note_hashes(problem, set);
  return PAWL_OK;
}

static bool is_as_drawn(const struct pawl_problem *problem, int set,
                        const struct pawl_draw_source *source) {
  const struct pawl_whole_draw *whole = &problem->whole[set];
  return whole->distribution && !strcmp(whole->distribution, source->distribution) &&
         whole->seed == source->seed && pawl_hash_equal(whole->hash, problem->input_hash[set]);
}

static pawl_status problem_fill(struct pawl_problem *problem, int set, const char *distribution,
                                uint64_t seed, uint64_t tail_seed, struct pawl_error *err) {
  const struct pawl_operator_info *info = &problem->oracle->info;
  const struct pawl_distribution_info *found = pawl_fill_find(info, distribution);
  if (!found)
    return pawl_fail(err, PAWL_USAGE, "operator '%s' has no distribution '%s'", info->name,
                     distribution);
  const struct pawl_draw_source source = {
      .distribution = found->name, .seed = seed, .tail_seed = tail_seed};
  bool drew_all;
  PAWL_TRY(put_inputs(problem, set, found, &source, false, &drew_all, err));
  if (seed != tail_seed) return PAWL_OK;
  /* a thread of the kernel may have changed the inputs before pawl noted their hash */
  if (!drew_all && !is_as_drawn(problem, set, &source))
    PAWL_TRY(put_inputs(problem, set, found, &source, true, &drew_all, err));
  if (drew_all)
    problem->whole[set] = (struct pawl_whole_draw){found->name, seed, problem->input_hash[set]};
  return PAWL_OK;
}

pawl_status pawl_problem_fill_tail(struct pawl_problem *problem, int set, const char *distribution,
                                   uint64_t seed, uint64_t tail_seed, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const enum pawl_status_code status =
      problem_fill(problem, set, distribution, seed, tail_seed, err);
  problem->oracle->spent.inputs += pawl_seconds_since(begin);
  return status;
}

pawl_status pawl_problem_fill(struct pawl_problem *problem, int set, const char *distribution,
                              uint64_t seed, struct pawl_error *err) {
  return pawl_problem_fill_tail(problem, set, distribution, seed, seed, err);
}

pawl_status pawl_problem_exchange(struct pawl_problem *problem, int set, uint64_t seed,
                                  struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_draw_source *source = &problem->source[set];
  if (!source->distribution) return pawl_fail(err, PAWL_USAGE, "set %d was never filled", set);
  exchange_elements(problem, set, seed);
  /* after a second exchange nothing restores both */
  if (source->exchanged) source->noted = true;
  source->exchanged = true;
  source->exchange_seed = seed;
  start_afresh(problem, set);
  note_hashes(problem, set);
  problem->oracle->spent.inputs += pawl_seconds_since(begin);
  return PAWL_OK;
}

bool pawl_problem_can_permute(const struct pawl_problem *problem) {
  for (int set = 0; set < problem->set_count; set++) {
    const char *name = problem->source[set].distribution;
    if (!name || pawl_fill_find(&problem->oracle->info, name)->adjust) return false;
  }
  return true;
}

static void evict_elements(const unsigned char *data, size_t size, const struct pawl_swaps *swaps) {
  for (int i = 0; i < swaps->count; i++) {
    pawl_cache_evict(data + swaps->places[i][0] * size);
    pawl_cache_evict(data + swaps->places[i][1] * size);
  }
}

void pawl_problem_evict(const struct pawl_problem *problem, int set) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++)
    pawl_cache_evict_all(problem->oracle->tensors.map + tensors->tensors[i].offset,
                         tensors->tensors[i].bytes);
}

void pawl_problem_note_inputs(struct pawl_problem *problem, int set) {
  note_hashes(problem, set);
  problem->source[set].noted = true;
}

struct pawl_noted_inputs pawl_problem_noted_inputs(const struct pawl_problem *problem, int set) {
  const int count = problem->sets[set].count;
  struct pawl_noted_inputs out = {.all = problem->input_hash[set],
                                  .noted = problem->source[set].noted};
  memcpy(out.tensors, &problem->tensor_hash[set * count], (size_t)count * sizeof *out.tensors);
  return out;
}

void pawl_problem_note_again(struct pawl_problem *problem, int set,
                             const struct pawl_noted_inputs *noted) {
  const int count = problem->sets[set].count;
  memcpy(&problem->tensor_hash[set * count], noted->tensors,
         (size_t)count * sizeof *noted->tensors);
  problem->input_hash[set] = noted->all;
  problem->source[set].noted = noted->noted;
}

void pawl_problem_permute(struct pawl_problem *problem, int set, uint64_t seed) {
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role != PAWL_IN) continue;
    const size_t size = pawl_dtype_size(t->spec.dtype);
    const uint64_t elements = t->bytes / size, share = elements < 16 ? elements / 2 : elements / 8;
    const uint64_t pairs = share < PERMUTED_PAIRS ? share : PERMUTED_PAIRS;
    unsigned char *data = problem->oracle->tensors.map + t->offset;
    for (uint64_t pair = 0; pair < pairs; pair++) {
      /* each element in its own stretch, so that no element is in two pairs and a second call
       * restores them */
      const uint64_t stretch = elements / (2 * pairs);
      uint32_t words[4];
      pawl_philox(seed, (uint64_t)i, pair, words);
      const struct pawl_swaps swap = {.places = {{2 * pair * stretch + words[0] % stretch,
                                                  (2 * pair + 1) * stretch + words[1] % stretch}},
                                      .count = 1};
      swap_elements(data, size, &swap);
      evict_elements(data, size, &swap);
    }
  }
}

pawl_status pawl_problem_reset(struct pawl_problem *problem, int set, struct pawl_error *err) {
  if (!problem->source[set].distribution)
    return pawl_fail(err, PAWL_USAGE, "set %d was never filled", set);
  start_afresh(problem, set);
  return PAWL_OK;
}

/* Empties what is between the tensors, the page of the words, and what is behind the last tensor.
 */
static void empty_gaps(const struct pawl_problem *problem) {
  struct pawl_shared *shared = &problem->oracle->tensors;
  uint64_t from = problem->first;
  memset(shared->map, 0, PAWL_STAMP_BYTES);
  for (int set = 0; set < problem->set_count; set++)
    for (int i = 0; i < problem->sets[set].count; i++) {
      const struct pawl_placed_tensor *t = &problem->sets[set].tensors[i];
      memset(shared->map + from, 0, t->offset - PAWL_GUARD_BYTES - from);
      from = t->offset + t->bytes + PAWL_GUARD_BYTES;
    }
  if (problem->oracle->used <= problem->end) /* no problem is there */
    pawl_shared_empty(shared, from);
}

void pawl_problem_hide_blocks(struct pawl_problem *problem) {
  empty_gaps(problem);
  for (int set = 0; set < problem->set_count; set++)
    if (problem->source[set].distribution) start_afresh(problem, set);
  futimens(problem->oracle->tensors.fd, NULL); /* its age */
}

struct pawl_hash pawl_problem_output_hash(const struct pawl_problem *problem, int set) {
  const int64_t begin = pawl_clock_ns();
  const struct pawl_hash hash =
      pawl_output_hash(PAWL_OUTPUT_HASH_XXH3, &problem->sets[set], problem->oracle->tensors.map);
  problem->oracle->spent.hashing += pawl_seconds_since(begin);
  return hash;
}

/* --- where the expected values lie --- */

static bool fits_f32(int32_t dtype) {
  return dtype == PAWL_F32 || dtype == PAWL_F16 || dtype == PAWL_BF16 || dtype == PAWL_E4M3 ||
         dtype == PAWL_U8;
}

struct pawl_expected_set pawl_expected_set_of(const struct pawl_problem *problem, int set) {
  struct pawl_expected_set expected = {0};
  const struct pawl_tensor_set *tensors = &problem->sets[set];
  for (int i = 0; i < tensors->count; i++) {
    const struct pawl_placed_tensor *t = &tensors->tensors[i];
    if (t->spec.role == PAWL_IN) continue;
    const uint64_t elements = (uint64_t)pawl_placed_elements(t);
    const int k = expected.count++;
    expected.placed[k] = (struct pawl_placed_tensor){.spec = t->spec,
                                                     .fd = PAWL_EXPECTED_ARENA,
                                                     .offset = expected.bytes,
                                                     .bytes = elements * sizeof(double)};
    expected.placed[k].spec.dtype = PAWL_F64;
    expected.dtype[k] = fits_f32(t->spec.dtype) ? PAWL_F32 : PAWL_F64;
    expected.piece[k] = (struct pawl_cache_piece){problem->oracle->expected.map + expected.bytes,
                                                  elements * pawl_dtype_size(expected.dtype[k])};
    expected.tensor[k] = i;
    expected.bytes += (elements * sizeof(double) + PAWL_TENSOR_ALIGNMENT - 1) /
                      PAWL_TENSOR_ALIGNMENT * PAWL_TENSOR_ALIGNMENT;
  }
  return expected;
}
