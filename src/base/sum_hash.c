/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sum_hash.h"

#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"

#define WORD sizeof(uint64_t)
#define WORDS_PER_ITEM ((uint64_t)1 << 15) /* about 0.1 ms of work for a thread */
#define ITEMS_PER_THREAD 4                 /* fewer do not pay for the start of a thread */

static inline void sum_hash_mix(uint64_t word, uint64_t place, uint64_t *low, uint64_t *high) {
  uint64_t x = word + (place + 1) * PAWL_SUM_HASH_STEP;
  x ^= x >> 33;
  x *= PAWL_SUM_HASH_FIRST;
  x ^= x >> 33;
  *low += x;
  x *= PAWL_SUM_HASH_SECOND;
  x ^= x >> 33;
  *high += x;
}

struct word_sum {
  const unsigned char *data; /* NULL: every word is `same` */
  uint64_t same;
  uint64_t first, words; /* the index of the first word, and their number */
  _Atomic uint64_t low, high;
};

static void sum_hash_sum_item(void *context, int64_t item) {
  struct word_sum *job = context;
  const uint64_t begin = (uint64_t)item * WORDS_PER_ITEM;
  const uint64_t end = begin + WORDS_PER_ITEM < job->words ? begin + WORDS_PER_ITEM : job->words;
  uint64_t low = 0, high = 0;
  for (uint64_t i = begin; i < end; i++) {
    uint64_t word = job->same;
    if (job->data) memcpy(&word, job->data + i * WORD, WORD);
    sum_hash_mix(word, job->first + i, &low, &high);
  }
  atomic_fetch_add(&job->low, low);
  atomic_fetch_add(&job->high, high);
}

void pawl_sum_hash_word(struct pawl_sum_hasher *hasher, uint64_t word) {
  sum_hash_mix(word, hasher->words++, &hasher->sum.low, &hasher->sum.high);
}

void pawl_sum_hash_add_sum(struct pawl_sum_hasher *hasher, struct pawl_hash sum, uint64_t words) {
  hasher->sum.low += sum.low;
  hasher->sum.high += sum.high;
  hasher->words += words;
}

static void sum_hash_sum_words(struct pawl_sum_hasher *hasher, struct word_sum *job) {
  const int64_t items = (int64_t)((job->words + WORDS_PER_ITEM - 1) / WORDS_PER_ITEM);
  const int64_t worth = items / ITEMS_PER_THREAD, cpus = pawl_cpu_count();
  job->first = hasher->words;
  pawl_parallel_for((int)(worth < 1      ? 1
                          : worth < cpus ? worth
                                         : cpus),
                    items, sum_hash_sum_item, job);
  pawl_sum_hash_add_sum(hasher, (struct pawl_hash){.high = job->high, .low = job->low}, job->words);
}

void pawl_sum_hash_add(struct pawl_sum_hasher *hasher, const void *data, size_t length) {
  struct word_sum job = {.data = data, .words = length / WORD};
  uint64_t rest = 0;
  pawl_sum_hash_word(hasher, length);
  sum_hash_sum_words(hasher, &job);
  if (length % WORD == 0) return;
  memcpy(&rest, job.data + job.words * WORD, length % WORD);
  pawl_sum_hash_word(hasher, rest);
}

void pawl_sum_hash_add_same(struct pawl_sum_hasher *hasher, unsigned char byte, size_t length) {
  struct word_sum job = {.words = length / WORD};
  uint64_t rest = 0;
  memset(&job.same, byte, WORD);
  memset(&rest, byte, length % WORD);
  pawl_sum_hash_word(hasher, length);
  sum_hash_sum_words(hasher, &job);
  if (length % WORD) pawl_sum_hash_word(hasher, rest);
}
