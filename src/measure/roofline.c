/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/roofline.h"

static const char *const advice[] = {
    [PAWL_ROOFLINE_GPU] = "look at the counters: pawl profile",
    [PAWL_ROOFLINE_CPU] =
        "look at the counters: pawl profile counts instructions, branches and cache "
        "misses",
    [PAWL_ROOFLINE_NONE] =
        "this machine gives no counters of its processor; compare builds with other "
        "-march, tiles and threads (pawl bench -D, pawl tune) to see what binds"};

/* A time this far beyond the peak is an error of the measurement. */
#define BEYOND 1.05

static void recommend(struct pawl_roofline *out, struct pawl_arena *arena,
                      enum pawl_roofline_counters counters, bool memory, double headroom) {
  const char **items = pawl_arena_alloc(arena, 3, sizeof *items);
  size_t count = 0;
  /* the limit is a measurement too, or the maker's claim */
  if (out->efficiency_pct >= 100) {
    items[count++] =
        pawl_arena_printf(arena, "at the measured %s limit of this machine: only less work helps",
                          memory ? "memory" : "compute");
  } else if (out->efficiency_pct >= 80) {
    items[count++] =
        pawl_arena_printf(arena, "within %.0f %% of the %s limit: only less work helps",
                          100 - out->efficiency_pct, memory ? "memory" : "compute");
  } else if (memory) {
    items[count++] =
        "memory-bound: read each input once, keep intermediates out of memory, fuse neighbouring "
        "passes";
    items[count++] = "use wide, contiguous loads and enough of them in flight to cover the latency";
  } else {
    /* FLOP and bytes do not tell which unit computes or what it waits for; counters do. */
    items[count++] = pawl_arena_printf(arena,
                                       "by its FLOP and bytes compute is the limit, and the kernel "
                                       "reaches %.0f %% of it; they do not say what takes the rest",
                                       out->efficiency_pct);
    items[count++] = advice[counters];
  }
  if (headroom >= 2)
    items[count++] = pawl_arena_printf(arena, "at most %.1fx faster until the %s limit", headroom,
                                       memory ? "memory" : "compute");
  out->recommendations = items;
  out->recommendation_count = count;
}

static void recommend_only(struct pawl_roofline *out, struct pawl_arena *arena, const char *words) {
  out->recommendations = pawl_arena_alloc(arena, 1, sizeof *out->recommendations);
  out->recommendations[out->recommendation_count++] = words;
}

void pawl_roofline_of(const struct pawl_work *work, double median_ms,
                      enum pawl_roofline_counters counters, const struct pawl_device_limits *limits,
                      bool cached, struct pawl_arena *arena, struct pawl_roofline *out) {
  if (!(work->bytes > 0) || !(work->flop > 0)) return;
  out->arithmetic_intensity = work->flop / work->bytes;
  if (!limits || !(limits->gflops > 0) || !(limits->bandwidth_gb_s > 0) || !(median_ms > 0)) return;
  const double compute_ms = work->flop / limits->gflops * 1e-6,
               memory_ms = work->bytes / limits->bandwidth_gb_s * 1e-6;
  const bool memory = memory_ms > compute_ms;
  const double efficiency_pct = (memory ? memory_ms : compute_ms) / median_ms * 100;
  if (memory && cached) {
    /* this is no limit of this kernel */
    recommend_only(out, arena,
                   "warm data that fit in the last-level cache: memory is not the limit, and "
                   "the limit of the cache is unknown");
    return;
  }
  out->bottleneck = memory ? "memory" : "compute";
  out->efficiency_pct = efficiency_pct;
  if (efficiency_pct > 100 * BEYOND)
    recommend_only(
        out, arena,
        pawl_arena_printf(arena,
                          memory ? "%.0f %% of the measured memory bandwidth of this machine: the "
                                   "operator counts too many bytes, or data stay in a cache"
                                 : "%.0f %% of the measured compute limit of this machine: the "
                                   "operator counts too many FLOP, or the limit is too low",
                          efficiency_pct));
  else
    recommend(out, arena, counters, memory, 100 / efficiency_pct);
}

const char *pawl_roofline_error(const struct pawl_roofline *roofline) {
  return roofline->efficiency_pct > 100 * BEYOND ? roofline->recommendations[0] : NULL;
}
