/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/pool.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "tuning/evaluate.h"
#include "tuning/finals.h"
#include "tuning/past.h"
#include "tuning/run.h"
#include "tuning/screen.h"

#define EVALUATORS "evaluators" /* the folder of the evaluators' files, in the output folder */
#define MOST_LOST 2             /* evaluators that may fail on one candidate */
/* the tag of the request to judge; other tags are the candidates' indices \ */
#define JUDGE SIZE_MAX
/* open requests of an evaluator; the second waits while the first is answered */
#define LEAST_AHEAD 2
#define BESIDE_AHEAD 3 /* the third builds while the second is timed, even on a few CPUs */
#define LATELY 8u      /* candidates whose builds and measurements estimate the next durations */

/* A candidate whose evaluator failed. */
struct lost_candidate {
  size_t index;
  int times;
  bool waits; /* waits for another evaluator */
};

/* The first message of an evaluator. */
struct introduction {
  json_t *identity; /* everything that its times depend on */
  const char *hardware, *hardware_name;
  double block_seconds, build_seconds;
  int cpus; /* 0: not given */
};

/* The answer of the judge. */
struct pool_judgement {
  bool known; /* false: not judged yet */
  const char *conclusion;
  bool finished, decided, recommended;
};

/* The evaluator that timed a candidate. It knows the candidate, so the search does not send it
   the result. */
struct origin {
  int member, starts;
};

struct pool_search {
  struct pawl_tuning *tuning;
  const struct pawl_pool_plan *plan;
  struct pawl_pool pool;
  json_t *identity; /* from the first ready evaluator; NULL: no evaluator is ready yet */
  struct lost_candidate *lost;
  size_t lost_count, lost_room;
  struct origin *origins; /* one for each candidate of the result from origin_first on */
  size_t origin_count, origin_room, origin_first;
  size_t *told;              /* [evaluators] the number of candidates that each evaluator knows */
  int *starts;               /* [evaluators] the number of processes that started */
  int *cpus;                 /* [evaluators] the CPUs of each evaluator; 0: not given */
  double first_build;        /* the build time of the current code; 0: it was built already */
  struct pawl_error failure; /* the reason of the last evaluator that cannot work */
  struct pool_judgement judgement;
  bool exhausted;
};

static const char *pool_key_of(struct pool_search *search, size_t index) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_space_key(&search->tuning->space, index, &key);
  return pawl_arena_copy(&search->tuning->project->arena, pawl_text_string(&key));
}

/* --- new evaluators --- */

static pawl_status read_introduction(const json_t *about, const char *name,
                                     struct introduction *out, struct pawl_error *err) {
  long long cpus;
  out->identity = json_object_get(about, "identity");
  if (!json_is_object(out->identity))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no object 'identity'", name);
  PAWL_TRY(pawl_json_get_string(out->identity, "hardware", name, "unknown", &out->hardware, err));
  PAWL_TRY(pawl_json_get_string(about, "hardware_name", name, NULL, &out->hardware_name, err));
  PAWL_TRY(pawl_json_get_number(about, "block_s", name, 0, &out->block_seconds, err));
  PAWL_TRY(pawl_json_get_number(about, "build_s", name, 0, &out->build_seconds, err));
  PAWL_TRY(pawl_json_get_int(about, "cpus", name, 0, &cpus, err));
  out->cpus = cpus > 0 && cpus < INT_MAX ? (int)cpus : 0;
  return PAWL_OK;
}

/* The first ready evaluator begins the search, so that time in a queue does not count for the
   budget. */
static pawl_status pool_begin(struct pool_search *search, const struct introduction *about,
                              struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  pawl_tuning_describe(tuning, about->hardware, about->hardware_name);
  tuning->tune.team.executor = search->plan->executor->name;
  tuning->begin_ns = pawl_clock_ns();
  tuning->bench.best = 1; /* the bench stays closed here, but keeps the results of each case */
  tuning->bench.case_count = tuning->config_count;
  for (size_t i = 0; i < tuning->config_count; i++) tuning->bench.cases[i].best = 1;
  pawl_tuning_tell_current(tuning);
  PAWL_CLEANUP(pawl_json_release)
  json_t *seeded = json_deep_copy(about->identity); /* the evaluators' identity has no prior */
  pawl_tuning_name_prior(tuning, seeded);
  PAWL_TRY(pawl_tuning_open_journal(tuning, seeded, err));
  search->identity = json_incref(about->identity);
  pawl_tuning_recall(tuning);
  search->origin_first = tuning->tune.count;
  pawl_tuning_take_end(tuning);
  return PAWL_OK;
}

/* The first difference between two evaluators, for a message. */
static const char *difference(const json_t *a, json_t *b) {
  const char *key;
  json_t *value;
  json_object_foreach(b, key, value) {
    if (!json_equal(value, json_object_get(a, key))) return key;
  }
  return "search";
}

/* Times of other hardware or of other code do not belong to this search. */
static pawl_status welcome(struct pool_search *search, const struct pawl_pool_event *event,
                           struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  struct introduction about;
  struct pawl_error wrong = {0};
  if (read_introduction(event->document, pawl_pool_line(&search->pool, event->member), &about,
                        &wrong) != PAWL_OK) {
    pawl_pool_distrust(&search->pool, event->member, wrong.message);
    return PAWL_OK;
  }
  if (!search->identity) PAWL_TRY(pool_begin(search, &about, err));
  search->told[event->member] = 0;
  search->starts[event->member]++;
  search->cpus[event->member] = about.cpus;
  search->first_build = fmax(search->first_build, about.build_seconds);
  tuning->block_seconds = fmax(tuning->block_seconds, about.block_seconds);
  if (json_equal(about.identity, search->identity)) return PAWL_OK;
  const char *differs = difference(search->identity, about.identity);
  const char *theirs = json_string_value(json_object_get(about.identity, differs));
  pawl_log_warning(tuning->project->options.log,
                   "evaluator %s has another %s (%s), so its times do not count",
                   pawl_pool_name(&search->pool, event->member), differs,
                   theirs ? theirs : "see its answers.jsonl");
  pawl_pool_dismiss(&search->pool, event->member);
  return PAWL_OK;
}

/* --- questions --- */

/* The results that this evaluator does not know yet. */
static json_t *news_for(struct pool_search *search, int member) {
  const struct pawl_tune *tune = &search->tuning->tune;
  json_t *list = json_array();
  for (size_t i = search->told[member]; i < tune->count; i++) {
    const struct origin *origin =
        i < search->origin_first ? NULL : &search->origins[i - search->origin_first];
    json_t *item = json_object();
    pawl_tune_candidate_write(&tune->candidates[i], item);
    if (origin && origin->member == member && origin->starts == search->starts[member])
      json_decref(item);
    else
      json_array_append_new(list, item);
  }
  search->told[member] = tune->count;
  return list;
}

/* The next question, or PAWL_NO_CONFIGURATION. */
static size_t choose(struct pool_search *search) {
  struct pawl_tuning *tuning = search->tuning;
  for (size_t i = 0; i < search->lost_count; i++) {
    if (!search->lost[i].waits) continue;
    search->lost[i].waits = false;
    return search->lost[i].index;
  }
  const size_t index =
      search->exhausted ? PAWL_NO_CONFIGURATION : pawl_search_next(&tuning->search);
  search->exhausted = index == PAWL_NO_CONFIGURATION;
  if (index != PAWL_NO_CONFIGURATION) pawl_search_hold(&tuning->search, index);
  return index;
}

static bool pool_has_time(const struct pool_search *search) {
  return pawl_tuning_left(search->tuning) > pawl_tuning_reserve(search->tuning);
}

size_t pawl_tune_pool_ahead(double build_seconds, double measure_seconds, double cpus,
                            int evaluators) {
  if (!(cpus > 0)) return LEAST_AHEAD;
  const double most =
      fmin(fmin(PAWL_POOL_AHEAD, (double)PAWL_TUNE_WAITING / evaluators), fmax(cpus, BESIDE_AHEAD));
  const double wanted = measure_seconds > 0 ? 1 + ceil(build_seconds / measure_seconds)
                        : build_seconds > 0 ? most
                                            : 0;
  return (size_t)fmax(LEAST_AHEAD, fmin(wanted, most));
}

/* The CPUs that an evaluator has for itself. */
static double cpus_of(const struct pool_search *search, int member) {
  const struct pawl_pool_member *members = search->pool.members;
  int beside = 0;
  for (int i = 0; i < search->pool.staff.count; i++)
    beside += members[i].node && !members[i].gone && !strcmp(members[i].node, members[member].node);
  return beside ? (double)search->cpus[member] / beside : 0;
}

/* Nothing builds on a CPU while a candidate is timed there. */
static size_t choose_ahead(const struct pool_search *search, int member) {
  const struct pawl_tune *tune = &search->tuning->tune;
  const size_t first = tune->count > LATELY ? tune->count - LATELY : 0;
  const double cpus = search->tuning->spec->device == PAWL_CUDA ? cpus_of(search, member) : 0;
  const int left = pawl_pool_left(&search->pool);
  double build = 0, measure = 0, measured = 0;
  if (!tune->count)
    return pawl_tune_pool_ahead(search->first_build, search->tuning->block_seconds, cpus, left);
  for (size_t i = first; i < tune->count; i++) {
    build += tune->candidates[i].build_seconds / (double)(tune->count - first);
    measure += tune->candidates[i].measure_seconds;
    measured += tune->candidates[i].measure_seconds > 0;
  }
  return pawl_tune_pool_ahead(build, measured > 0 ? measure / measured : 0, cpus, left);
}

/* Every evaluator gets one request before any evaluator gets a second one. */
static pawl_status pool_ask(struct pool_search *search, struct pawl_error *err) {
  for (size_t level = 0; level < PAWL_POOL_AHEAD; level++) {
    for (int i = 0; i < search->pool.staff.count && search->identity; i++) {
      const struct pawl_pool_member *member = &search->pool.members[i];
      if (!member->ready || member->pending_count != level || !pool_has_time(search)) continue;
      if (level >= choose_ahead(search, i)) continue;
      const size_t index = choose(search);
      if (index == PAWL_NO_CONFIGURATION) return PAWL_OK;
      json_t *request = json_object();
      pawl_json_set_string(request, "evaluate", pool_key_of(search, index));
      pawl_json_set(request, "learn", news_for(search, i));
      PAWL_TRY(pawl_pool_send(&search->pool, i, request, index, err));
    }
  }
  return PAWL_OK;
}

/* --- answers --- */

static pawl_status pool_record(struct pool_search *search,
                               const struct pawl_tune_candidate *candidate, int member,
                               struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  const struct pawl_tune_entry entry = {*candidate, 1, pawl_tuning_seconds(tuning)};
  PAWL_TRY(pawl_tune_journal_add(&tuning->journal, &entry, err));
  search->origins = pawl_grow(search->origins, search->origin_count, &search->origin_room,
                              sizeof *search->origins);
  search->origins[search->origin_count++] = (struct origin){member, search->starts[member]};
  pawl_tuning_learn(tuning, candidate);
  return PAWL_OK;
}

static struct lost_candidate *tuning_pool_find_lost(struct pool_search *search, size_t index) {
  for (size_t i = 0; i < search->lost_count; i++)
    if (search->lost[i].index == index) return &search->lost[i];
  search->lost =
      pawl_grow(search->lost, search->lost_count, &search->lost_room, sizeof *search->lost);
  search->lost[search->lost_count] = (struct lost_candidate){.index = index};
  return &search->lost[search->lost_count++];
}

/* The machine is at fault, not the candidate. One other evaluator tries the candidate; if that
   fails too, its result stays unknown. */
static pawl_status take_loss(struct pool_search *search, const struct pawl_pool_event *event,
                             struct pawl_error *err) {
  if (event->tag == JUDGE) return PAWL_OK;
  struct lost_candidate *lost = tuning_pool_find_lost(search, event->tag);
  const char *key = pool_key_of(search, event->tag),
             *evaluator = pawl_pool_name(&search->pool, event->member);
  lost->waits = true;
  if (!event->taken) return PAWL_OK;
  PAWL_TRY(pawl_tune_journal_lost(&search->tuning->journal, key, evaluator, err));
  if (++lost->times < MOST_LOST) return PAWL_OK;
  lost->waits = false;
  const struct pawl_tune_candidate candidate = {
      .index = event->tag,
      .key = key,
      .outcome = PAWL_OUTCOME_INCONCLUSIVE,
      .reason = "two evaluators were lost while they timed it",
      .median_ms = NAN,
      .base_ms = NAN,
      .evaluator = evaluator};
  return pool_record(search, &candidate, event->member, err);
}

static pawl_status tuning_pool_read_answer(struct pool_search *search,
                                           const struct pawl_pool_event *event,
                                           struct pawl_tune_candidate *out,
                                           struct pawl_error *err) {
  const char *name = pawl_pool_line(&search->pool, event->member),
             *key = pool_key_of(search, event->tag);
  PAWL_TRY(
      pawl_tune_candidate_read(event->document, name, &search->tuning->project->arena, out, err));
  if (strcmp(out->key, key) != 0)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: an answer for '%s' in place of '%s'", name, out->key,
                     key);
  PAWL_TRY(pawl_tune_candidate_check(out, name, err));
  out->index = event->tag;
  out->evaluator = pawl_pool_name(&search->pool, event->member);
  return PAWL_OK;
}

static pawl_status read_judgement(struct pool_search *search, const struct pawl_pool_event *event,
                                  struct pool_judgement *out, struct pawl_error *err) {
  const char *name = pawl_pool_line(&search->pool, event->member), *conclusion;
  struct pool_judgement found = {.known = true};
  PAWL_TRY(pawl_json_get_bool(event->document, "finished", name, false, &found.finished, err));
  PAWL_TRY(pawl_json_get_string(event->document, "conclusion", name, NULL, &conclusion, err));
  PAWL_TRY(pawl_json_get_bool(event->document, "decided", name, false, &found.decided, err));
  PAWL_TRY(
      pawl_json_get_bool(event->document, "recommended", name, false, &found.recommended, err));
  if (!conclusion)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a judgement without 'conclusion'", name);
  found.conclusion = pawl_arena_copy(&search->tuning->project->arena, conclusion);
  *out = found;
  return PAWL_OK;
}

/* An evaluator whose answer cannot be right is given up: its machine is at fault. */
static pawl_status take_answer(struct pool_search *search, const struct pawl_pool_event *event,
                               struct pawl_error *err) {
  const struct pawl_pool_event lost = {
      .news = PAWL_POOL_LOST, .member = event->member, .tag = event->tag, .taken = true};
  struct pawl_tune_candidate candidate;
  struct pawl_error wrong = {0};
  const enum pawl_status_code status =
      event->tag == JUDGE ? read_judgement(search, event, &search->judgement, &wrong)
                          : tuning_pool_read_answer(search, event, &candidate, &wrong);
  if (status != PAWL_OK) {
    pawl_pool_distrust(&search->pool, event->member, wrong.message);
    return take_loss(search, &lost, err);
  }
  return event->tag == JUDGE ? PAWL_OK : pool_record(search, &candidate, event->member, err);
}

static void pool_take_failure(struct pool_search *search, const struct pawl_pool_event *event) {
  search->failure.code = (enum pawl_status_code)event->status;
  snprintf(search->failure.message, sizeof search->failure.message, "%s", event->reason);
  if (search->identity || pawl_pool_left(&search->pool))
    pawl_log_warning(search->tuning->project->options.log, "evaluator %s cannot go on: %s",
                     pawl_pool_name(&search->pool, event->member), event->reason);
}

/* Handles one event. PAWL_UNAVAILABLE: no evaluator is left, and none will come. If all
   evaluators are back in the queue, the time does not count for the budget. */
static pawl_status listen(struct pool_search *search, struct pawl_error *err) {
  struct pawl_pool_event event;
  const bool queued = search->identity && pawl_pool_find_ready(&search->pool) < 0 &&
                      pawl_pool_is_queued(&search->pool);
  const int64_t before = pawl_clock_ns();
  PAWL_TRY(pawl_pool_next(&search->pool, &event, err));
  if (queued) search->tuning->begin_ns += pawl_clock_ns() - before;
  PAWL_CLEANUP(pawl_json_release) json_t *document = event.document;
  if (document)
    return event.news == PAWL_POOL_READY ? welcome(search, &event, err)
                                         : take_answer(search, &event, err);
  if (event.news == PAWL_POOL_LOST) return take_loss(search, &event, err);
  if (event.news == PAWL_POOL_FAILED) pool_take_failure(search, &event);
  if (event.news != PAWL_POOL_NOTHING || pawl_pool_left(&search->pool)) return PAWL_OK;
  return pawl_pool_fail_empty(&search->pool, &search->failure, err);
}

/* --- the search --- */

static size_t count_pending(const struct pool_search *search) {
  size_t count = 0;
  for (int i = 0; i < search->pool.staff.count; i++) count += search->pool.members[i].pending_count;
  return count;
}

static bool one_waits(const struct pool_search *search) {
  for (size_t i = 0; i < search->lost_count; i++)
    if (search->lost[i].waits) return true;
  return false;
}

static bool is_stopped(const struct pool_search *search) {
  const volatile sig_atomic_t *stop = search->tuning->options->stop;
  return stop && *stop;
}

static void show(struct pool_search *search) {
  const char *waits = pawl_pool_waits(&search->pool);
  if (search->identity)
    pawl_tuning_show_progress(search->tuning,
                              pawl_arena_printf(&search->tuning->project->arena,
                                                "timing %zu candidates", count_pending(search)),
                              NULL);
  else
    pawl_log_progress(search->tuning->project->options.log, "tuning: the evaluators start%s%s",
                      waits ? "; one " : "", waits ? waits : "");
}

/* Withdraws the open requests at the end of the budget. A withdrawn request may have carried
   results, so the search sends all results again. */
static pawl_status withdraw(struct pool_search *search, struct pawl_error *err) {
  PAWL_TRY(pawl_pool_withdraw(&search->pool, err));
  for (int i = 0; i < search->pool.staff.count; i++) search->told[i] = 0;
  return PAWL_OK;
}

static pawl_status pool_screen(struct pool_search *search, struct pawl_error *err) {
  while (!is_stopped(search) && !search->tuning->tune.ended_before) {
    PAWL_TRY(pool_ask(search, err));
    const bool more = pool_has_time(search) && (!search->exhausted || one_waits(search));
    if (search->identity && !pool_has_time(search)) PAWL_TRY(withdraw(search, err));
    if (search->identity && !more && !count_pending(search)) break;
    const size_t before = search->tuning->tune.count;
    PAWL_TRY(listen(search, err));
    if (search->tuning->tune.count != before || !search->identity) show(search);
  }
  pawl_progress_end(search->tuning->project->options.log);
  return PAWL_OK;
}

/* --- the finals --- */

static pawl_status ask_judge(struct pool_search *search, int member, struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  json_t *request = json_object(), *judge = json_object();
  tuning->tune.team.judged_by = pawl_pool_name(&search->pool, member);
  pawl_json_set_string(judge, "judge", tuning->tune.team.judged_by);
  pawl_json_set_string(judge, "executor", search->plan->executor->name);
  pawl_json_set_int(judge, "lost", (long long)tuning->journal.lost);
  pawl_json_set_number(judge, "seconds", pawl_tuning_seconds(tuning));
  pawl_json_set(request, "judge", judge);
  pawl_json_set(request, "learn", news_for(search, member));
  pawl_log_progress(tuning->project->options.log, "tuning: evaluator %s judges the fastest",
                    tuning->tune.team.judged_by);
  return pawl_pool_send(&search->pool, member, request, JUDGE, err);
}

/* Lets one evaluator judge while no other one runs. If pawl loses it, the evaluator that
   replaces it judges. */
static pawl_status judge(struct pool_search *search, struct pawl_error *err) {
  int chosen = pawl_pool_find_ready(&search->pool);
  while (chosen < 0 && !is_stopped(search)) {
    PAWL_TRY(listen(search, err));
    chosen = pawl_pool_find_ready(&search->pool);
  }
  if (chosen >= 0) pawl_pool_dismiss_others(&search->pool, chosen);
  while (!search->judgement.known && !is_stopped(search)) {
    const struct pawl_pool_member *member = &search->pool.members[chosen];
    if (member->ready && !member->pending_count) PAWL_TRY(ask_judge(search, chosen, err));
    PAWL_TRY(listen(search, err));
  }
  pawl_log_progress(search->tuning->project->options.log, "%s", "");
  if (!search->judgement.known) search->tuning->tune.team.judged_by = NULL;
  return PAWL_OK;
}

static pawl_status conclude(struct pool_search *search, struct pawl_tune_pool_result *out,
                            struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  struct pawl_tune *tune = &tuning->tune;
  const struct pool_judgement *judgement = &search->judgement;
  tune->team.lost = tuning->journal.lost;
  tune->stopped = is_stopped(search);
  tune->seconds = pawl_tuning_seconds(tuning);
  pawl_tune_conclude(tune, &tuning->project->arena);
  *out = (struct pawl_tune_pool_result){.written = judgement->known, .tune = *tune};
  if (judgement->known) {
    out->tune.conclusion = judgement->conclusion;
    out->tune.decided = judgement->decided;
    out->tune.finished = judgement->finished;
    out->tune.recommended = judgement->recommended;
  }
  if (judgement->known && judgement->finished)
    PAWL_TRY(pawl_tune_journal_finish(&tuning->journal, tune->seconds,
                                      err)); /* the judge wrote the files */
  if (!judgement->known && tune->finished)
    PAWL_TRY(pawl_tuning_write_end(tuning, tune->seconds, err));
  pawl_tuning_store(tuning);
  return PAWL_OK;
}

static pawl_status run(struct pool_search *search, struct pawl_tune_pool_result *out,
                       struct pawl_error *err) {
  struct pawl_tuning *tuning = search->tuning;
  const struct pawl_pool_plan *plan = search->plan;
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(tuning->options->folder, EVALUATORS);
  PAWL_TRY(pawl_tuning_find(tuning, err));
  if (plan->devices && tuning->spec->device != PAWL_CUDA)
    return pawl_fail(err, PAWL_USAGE,
                     "kernel '%s' runs on the CPU, so several GPUs do not help; omit --device",
                     tuning->spec->name);
  PAWL_TRY(pawl_pool_start(&search->pool, plan, folder, &tuning->project->arena,
                           tuning->project->options.log, err));
  PAWL_TRY(pool_screen(search, err));
  if (!search->identity)
    return pawl_fail(err, PAWL_TRY_AGAIN, "the search was stopped before an evaluator was ready");
  if (tuning->tune.ended_before) {
    *out = (struct pawl_tune_pool_result){.written = true, .tune = tuning->tune};
    return PAWL_OK;
  }
  if (!is_stopped(search) && pawl_tuning_reserve(tuning) > 0) PAWL_TRY(judge(search, err));
  return conclude(search, out, err);
}

pawl_status pawl_loop_tune_pool(struct pawl_project *project,
                                const struct pawl_tune_options *options,
                                const struct pawl_pool_plan *plan,
                                struct pawl_tune_pool_result *out, struct pawl_error *err) {
  struct pool_search *search = pawl_arena_alloc(&project->arena, 1, sizeof *search);
  struct pawl_lock lock = {.fd = -1};
  *search = (struct pool_search){.tuning = pawl_tuning_new(project, options), .plan = plan};
  search->told = pawl_arena_alloc(&project->arena, (size_t)plan->evaluators, sizeof *search->told);
  search->starts =
      pawl_arena_alloc(&project->arena, (size_t)plan->evaluators, sizeof *search->starts);
  search->cpus = pawl_arena_alloc(&project->arena, (size_t)plan->evaluators, sizeof *search->cpus);
  PAWL_TRY(pawl_tuning_lock(project, &lock, err));
  const enum pawl_status_code status = run(search, out, err);
  pawl_pool_end(&search->pool);
  pawl_tuning_release(search->tuning);
  json_decref(search->identity);
  pawl_free(search->lost);
  pawl_free(search->origins);
  pawl_lock_release(&lock);
  return status;
}
