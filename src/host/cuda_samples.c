/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_samples.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/cupti.h"

#define MOST_PCS 2048            /* rows of one reading; CUPTI keeps the others for the next */
#define MOST_REASONS 128         /* CUPTI 13.0 knows 37 on an H200 */
#define MOST_CALLS 16            /* short calls have few samples each */
#define ENOUGH_SAMPLES 20000     /* 1 % of the time then has 200 */
#define SAMPLES_A_CALL 60000.0   /* the sampling period is that of a call of this length */
#define CYCLES_A_NS 2.0          /* the clock is about 2 GHz */
#define BUFFER_BYTES (64u << 20) /* 512 MiB, the default, take longer to allocate */
#define DECODING_NS 150000000    /* a thread of CUPTI looks for samples each 100 ms */
#define SHORTEST_PERIOD 5
#define LONGEST_PERIOD 31
#define STALLED "_issue_stalled_" /* precedes the word of a reason */

/* The samples of one instruction and one reason. The name belongs to CUPTI. */
struct cuda_sample {
  const char *function;
  uint64_t offset;
  uint32_t reason, count;
};

struct sampling {
  const struct pawl_cuda_driver *driver;
  pawl_cu_device device;
  pawl_cu_context context;
  struct pawl_cupti cupti;
  bool enabled;
  size_t reason_count;
  uint32_t reasons[MOST_REASONS];
  char *words[MOST_REASONS];
  char texts[MOST_REASONS][PAWL_CUPTI_REASON];
  struct pawl_cupti_pcs reading;
  struct cuda_sample *samples;
  size_t count, capacity;
  uint64_t total, dropped;
};

#define CALL(SAMPLING, FUNCTION, ARGUMENT, NAME, ERR) \
  PAWL_TRY(pawl_cupti_check(&(SAMPLING)->cupti, (SAMPLING)->cupti.FUNCTION(ARGUMENT), NAME, ERR))

static pawl_status open_sampling(struct sampling *s, struct pawl_error *err) {
  struct pawl_cupti_context enable = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_context, context),
                                      .context = s->context};
  struct pawl_cupti_reason_count count = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_reason_count, count),
      .context = s->context,
      .count = &s->reason_count};
  struct pawl_cupti_reasons reasons = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_reasons, names),
                                       .context = s->context,
                                       .reasons = s->reasons,
                                       .names = s->words};
  CALL(s, sampling_enable, &enable, "cuptiPCSamplingEnable", err);
  s->enabled = true;
  CALL(s, sampling_reason_count, &count, "cuptiPCSamplingGetNumStallReasons", err);
  if (s->reason_count > MOST_REASONS)
    return pawl_fail(err, PAWL_UNAVAILABLE, "this CUPTI has %zu reasons of a stall, and pawl %d",
                     s->reason_count, MOST_REASONS);
  for (size_t i = 0; i < s->reason_count; i++) s->words[i] = s->texts[i];
  reasons.count = s->reason_count;
  CALL(s, sampling_reasons, &reasons, "cuptiPCSamplingGetStallReasons", err);
  return PAWL_OK;
}

/* Room for what CUPTI reads at once. */
static void make_reading(struct sampling *s) {
  struct pawl_cupti_pc *pcs = pawl_alloc(MOST_PCS, sizeof *pcs);
  struct pawl_cupti_pc_reason *reasons =
      pawl_alloc(MOST_PCS * (s->reason_count + 1), sizeof *reasons);
  for (size_t i = 0; i < MOST_PCS; i++) {
    pcs[i].size = sizeof *pcs;
    pcs[i].reasons = reasons + i * (s->reason_count + 1);
  }
  s->reading = (struct pawl_cupti_pcs){.size = sizeof s->reading, .most_pcs = MOST_PCS, .pcs = pcs};
}

/* Returns the period, as a power of two of cycles, in which a call of this time has
   SAMPLES_A_CALL. */
static uint32_t period_of(const struct sampling *s, int64_t ns) {
  int multiprocessors = 1;
  if (s->driver->device_attribute(&multiprocessors, PAWL_CU_MULTIPROCESSORS, s->device))
    multiprocessors = 1;
  const double cycles = (double)ns * CYCLES_A_NS * multiprocessors;
  uint32_t period = SHORTEST_PERIOD;
  while (period < LONGEST_PERIOD && cycles / (double)(2u << period) >= SAMPLES_A_CALL) period++;
  return period;
}

static pawl_status set_up(struct sampling *s, uint32_t mode, int64_t ns, struct pawl_error *err) {
  struct pawl_cupti_attribute attributes[] = {
      {.type = PAWL_CUPTI_SAMPLING_START_STOP, .data.word = 1},
      {.type = PAWL_CUPTI_SAMPLING_MODE, .data.word = mode},
      {.type = PAWL_CUPTI_SAMPLING_PERIOD, .data.word = period_of(s, ns)},
      {.type = PAWL_CUPTI_SAMPLING_BUFFER_BYTES, .data.bytes = BUFFER_BYTES},
      {.type = PAWL_CUPTI_SAMPLING_DATA, .data.pointer = &s->reading}};
  struct pawl_cupti_sampling_config config = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_sampling_config, attributes),
      .context = s->context,
      .count = sizeof attributes / sizeof *attributes,
      .attributes = attributes};
  CALL(s, sampling_configure, &config, "cuptiPCSamplingSetConfigurationAttribute", err);
  return PAWL_OK;
}

/* Returns whether the samples of a reason count. One that ends with "not_issued" has a part of the
   samples of another reason again, and others are sums. */
static bool is_stall(const char *word) {
  return strstr(word, STALLED) && !pawl_ends_with(word, "_not_issued");
}

/* Returns the place of a reason in the lists, or their length. */
static size_t find_reason(const struct sampling *s, uint32_t reason) {
  size_t i = 0;
  while (i < s->reason_count && s->reasons[i] != reason) i++;
  return i;
}

static void keep_pc(struct sampling *s, const struct pawl_cupti_pc *pc) {
  for (size_t i = 0; i < pc->reason_count && i < s->reason_count; i++) {
    const size_t reason = find_reason(s, pc->reasons[i].reason);
    if (reason == s->reason_count || !is_stall(s->words[reason]) || !pc->reasons[i].samples)
      continue;
    s->samples = pawl_grow(s->samples, s->count, &s->capacity, sizeof *s->samples);
    s->samples[s->count++] = (struct cuda_sample){.function = pc->function ? pc->function : "",
                                                  .offset = pc->offset,
                                                  .reason = (uint32_t)reason,
                                                  .count = pc->reasons[i].samples};
    s->total += pc->reasons[i].samples;
  }
}

/* Takes what CUPTI has. */
static pawl_status read_samples(struct sampling *s, struct pawl_error *err) {
  struct pawl_cupti_sampling_data data = {
      .size = PAWL_CUPTI_SIZE(struct pawl_cupti_sampling_data, data),
      .context = s->context,
      .data = &s->reading};
  do {
    s->reading.pc_count = s->reading.remaining = 0;
    CALL(s, sampling_data, &data, "cuptiPCSamplingGetData", err);
    for (size_t i = 0; i < s->reading.pc_count && i < MOST_PCS; i++) keep_pc(s, &s->reading.pcs[i]);
    s->dropped += s->reading.dropped;
  } while (s->reading.remaining && s->reading.pc_count);
  return PAWL_OK;
}

/* Makes one call and waits for its work. *ns is the time on the host. */
static pawl_status make_call(const struct sampling *s, const struct host_counted *counted,
                             int64_t *ns, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  PAWL_TRY(counted->call(counted->user, err));
  PAWL_TRY(pawl_cuda_check(s->driver, s->driver->synchronize(), "its work on the GPU failed", err));
  *ns = pawl_clock_ns() - begin;
  return PAWL_OK;
}

static pawl_status prepare_call(const struct sampling *s, const struct host_counted *counted,
                                struct pawl_error *err) {
  PAWL_TRY(counted->prepare(counted->user, err));
  return pawl_cuda_check(s->driver, s->driver->synchronize(), "its work on the GPU failed", err);
}

static pawl_status sample_calls(struct sampling *s, uint32_t mode,
                                const struct host_counted *counted, struct pawl_error *err) {
  struct pawl_cupti_context range = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_context, context),
                                     .context = s->context};
  int64_t ns;
  PAWL_TRY(prepare_call(s, counted, err));
  PAWL_TRY(make_call(s, counted, &ns, err));
  PAWL_TRY(set_up(s, mode, ns, err));
  for (int i = 0; i < MOST_CALLS && s->total < ENOUGH_SAMPLES; i++) {
    PAWL_TRY(prepare_call(s, counted, err));
    CALL(s, sampling_start, &range, "cuptiPCSamplingStart", err);
    PAWL_TRY(make_call(s, counted, &ns, err));
    CALL(s, sampling_stop, &range, "cuptiPCSamplingStop", err);
    PAWL_TRY(read_samples(s, err));
  }
  if (s->total) return PAWL_OK;
  nanosleep(&(struct timespec){.tv_nsec = DECODING_NS}, NULL);
  return read_samples(s, err);
}

static void end_sampling(struct sampling *s) {
  struct pawl_cupti_context end = {.size = PAWL_CUPTI_SIZE(struct pawl_cupti_context, context),
                                   .context = s->context};
  if (s->enabled) s->cupti.sampling_disable(&end);
  s->enabled = false;
  if (s->reading.pcs) pawl_free(s->reading.pcs->reasons);
  pawl_free(s->reading.pcs);
  s->reading.pcs = NULL;
}

/* Tries both modes of CUPTI until one has samples. */
static pawl_status sample_in_some_mode(struct sampling *s, const struct host_counted *counted,
                                       struct pawl_error *err) {
  static const uint32_t modes[] = {PAWL_CUPTI_SAMPLING_SERIALIZED, PAWL_CUPTI_SAMPLING_CONTINUOUS};
  for (size_t i = 0; i < PAWL_COUNT(modes) && !s->total; i++) {
    end_sampling(s);
    PAWL_TRY(open_sampling(s, err));
    make_reading(s);
    PAWL_TRY(sample_calls(s, modes[i], counted, err));
  }
  if (s->total) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "CUPTI took no sample of the call");
}

static int cuda_samples_by_place(const void *a, const void *b) {
  const struct cuda_sample *x = a, *y = b;
  const int name = strcmp(x->function, y->function);
  if (name) return name;
  if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
  return (int)x->reason - (int)y->reason;
}

/* "long_scoreboard" for "smsp__pcsamp_warps_issue_stalled_long_scoreboard" */
static const char *word_of(const struct sampling *s, uint32_t reason) {
  const char *found = strstr(s->words[reason], STALLED);
  return found ? found + strlen(STALLED) : s->words[reason];
}

/* The samples of each instruction, in the order of their addresses. */
static json_t *list_samples(struct sampling *s) {
  json_t *list = json_array(), *waits = NULL;
  if (s->count) qsort(s->samples, s->count, sizeof *s->samples, cuda_samples_by_place);
  for (size_t i = 0; i < s->count; i++) {
    const struct cuda_sample *sample = &s->samples[i], *last = i ? sample - 1 : NULL;
    if (!last || strcmp(last->function, sample->function) != 0 || last->offset != sample->offset) {
      json_t *row = json_object();
      waits = json_object();
      pawl_json_set_string(row, "function", sample->function);
      pawl_json_set_int(row, "offset", (long long)sample->offset);
      pawl_json_set(row, "waits", waits);
      json_array_append_new(list, row);
    }
    const char *word = word_of(s, sample->reason);
    const long long before = json_integer_value(json_object_get(waits, word));
    pawl_json_set_int(waits, word, before + sample->count);
  }
  return list;
}

pawl_status host_cuda_sample(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                             pawl_cu_context context, const struct host_counted *counted,
                             json_t **out, struct pawl_error *err) {
  struct sampling *s = pawl_alloc(1, sizeof *s);
  s->driver = driver;
  s->device = device;
  s->context = context;
  enum pawl_status_code status = pawl_cupti_open(&s->cupti, err);
  if (status == PAWL_OK) status = sample_in_some_mode(s, counted, err);
  if (status == PAWL_OK) {
    *out = json_object();
    pawl_json_set(*out, "samples", list_samples(s));
    pawl_json_set_int(*out, "dropped", (long long)s->dropped);
  }
  end_sampling(s);
  pawl_free(s->samples);
  pawl_free(s);
  return status;
}
