/* SPDX-License-Identifier: Apache-2.0 */
/* Counts requests and polls, in Prometheus' text format 0.0.4.
 * https://prometheus.io/docs/instrumenting/exposition_formats/ */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/text.h"

enum pawl_receipt {
  PAWL_RECEIPT_ACCEPTED = 0,
  PAWL_RECEIPT_DUPLICATE,
  PAWL_RECEIPT_IGNORED,       /* signed, but not about a job that pawl handles */
  PAWL_RECEIPT_BAD_SIGNATURE, /* or no signature */
  PAWL_RECEIPT_MALFORMED,
  PAWL_RECEIPT_TOO_LARGE,
  PAWL_RECEIPT_RATE_LIMITED,
  PAWL_RECEIPT_FAILED, /* the queue is not writable */
  PAWL_RECEIPT_COUNT
};

#define PAWL_LATENCY_BUCKETS 9

/* A zeroed struct is ready. */
struct pawl_metrics {
  _Atomic uint64_t receipts[PAWL_RECEIPT_COUNT];
  /* requests in each bucket; the last: all slower ones */
  _Atomic uint64_t latency[PAWL_LATENCY_BUCKETS + 1];
  _Atomic uint64_t latency_ns;
  _Atomic uint64_t slow_clients; /* connections closed because they took too long */
  /* recovered: jobs that polling found before any hook */
  _Atomic uint64_t polls, polls_failed, recovered;
  _Atomic int64_t last_poll; /* seconds since 1970; 0: none yet */
};

void pawl_metrics_request(struct pawl_metrics *metrics, enum pawl_receipt receipt,
                          int64_t nanoseconds);

/* Appends the counters to the text. */
void pawl_metrics_write(struct pawl_metrics *metrics, struct pawl_text *out);
