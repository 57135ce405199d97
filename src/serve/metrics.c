/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics.h"

#include <inttypes.h>

static const char *const receipt_names[PAWL_RECEIPT_COUNT] = {
    "accepted",  "duplicate", "ignored",      "bad_signature",
    "malformed", "too_large", "rate_limited", "failed"};

/* in seconds */
static const double bounds[PAWL_LATENCY_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                                    0.05,  0.1,    0.5,   2.5};

void pawl_metrics_request(struct pawl_metrics *metrics, enum pawl_receipt receipt,
                          int64_t nanoseconds) {
  size_t bucket = 0;
  while (bucket < PAWL_LATENCY_BUCKETS && (double)nanoseconds * 1e-9 > bounds[bucket]) bucket++;
  atomic_fetch_add(&metrics->receipts[receipt], 1);
  atomic_fetch_add(&metrics->latency[bucket], 1);
  atomic_fetch_add(&metrics->latency_ns, (uint64_t)nanoseconds);
}

static void counter(const char *name, const char *help, uint64_t value, struct pawl_text *out) {
  pawl_text_printf(out, "# HELP %s %s\n# TYPE %s counter\n%s %" PRIu64 "\n", name, help, name, name,
                   value);
}

static void write_latency(struct pawl_metrics *metrics, struct pawl_text *out) {
  uint64_t count = 0;
  pawl_text_add(out,
                "# HELP pawl_webhook_seconds time from a hook's headers to its answer\n"
                "# TYPE pawl_webhook_seconds histogram\n");
  for (size_t i = 0; i < PAWL_LATENCY_BUCKETS; i++) {
    count += atomic_load(&metrics->latency[i]);
    pawl_text_printf(out, "pawl_webhook_seconds_bucket{le=\"%g\"} %" PRIu64 "\n", bounds[i], count);
  }
  count += atomic_load(&metrics->latency[PAWL_LATENCY_BUCKETS]);
  pawl_text_printf(out,
                   "pawl_webhook_seconds_bucket{le=\"+Inf\"} %" PRIu64
                   "\npawl_webhook_seconds_sum %.9g\n"
                   "pawl_webhook_seconds_count %" PRIu64 "\n",
                   count, (double)atomic_load(&metrics->latency_ns) * 1e-9, count);
}

void pawl_metrics_write(struct pawl_metrics *metrics, struct pawl_text *out) {
  pawl_text_add(out,
                "# HELP pawl_webhook_requests_total hooks by result\n"
                "# TYPE pawl_webhook_requests_total counter\n");
  for (size_t i = 0; i < PAWL_RECEIPT_COUNT; i++)
    pawl_text_printf(out, "pawl_webhook_requests_total{result=\"%s\"} %" PRIu64 "\n",
                     receipt_names[i], atomic_load(&metrics->receipts[i]));
  write_latency(metrics, out);
  counter("pawl_webhook_slow_clients_total", "connections closed because they took too long",
          atomic_load(&metrics->slow_clients), out);
  counter("pawl_poll_total", "polls of the code host", atomic_load(&metrics->polls), out);
  counter("pawl_poll_failures_total", "polls that failed", atomic_load(&metrics->polls_failed),
          out);
  counter("pawl_poll_recovered_jobs_total", "job changes that only polling found",
          atomic_load(&metrics->recovered), out);
  pawl_text_printf(
      out,
      "# HELP pawl_poll_last_success_timestamp_seconds when the last complete poll ended\n"
      "# TYPE pawl_poll_last_success_timestamp_seconds gauge\n"
      "pawl_poll_last_success_timestamp_seconds %" PRId64 "\n",
      atomic_load(&metrics->last_poll));
}
