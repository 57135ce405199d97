#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends signed hooks to pawl serve at a fixed rate and times the answers. Open loop: each hook has its moment, and its
time counts from that moment, so that a stall is charged to all who wait behind it (no coordinated omission).
Usage: load.py PORT [--rate 200] [--seconds 30] [--limit-ms 50]"""
import argparse
import hashlib
import hmac
import http.client
import json
import os
import threading
import time


def hook(job):
    """About as large as GitHub's."""
    filler = {f"field_{i}": "https://api.github.com/repos/octo/app/" + "x" * 60 for i in range(120)}
    return json.dumps({"action": "queued", "repository": {"full_name": "octo/app", **filler},
                       "workflow_job": {"id": job, "labels": ["self-hosted", "gpu"],
                                        "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}}).encode()


def worker(options, index, threads, begin, times, statuses):
    secret = os.environ["PAWL_WEBHOOK_SECRET"].encode()
    count = int(options.rate * options.seconds)
    for i in range(index, count, threads):
        body = hook(int(time.time() * 1e6) * 100 + index)
        headers = {"Content-Type": "application/json", "X-GitHub-Event": "workflow_job",
                   "X-GitHub-Delivery": f"{begin}-{i}",
                   "X-Hub-Signature-256": "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()}
        due = begin + i / options.rate
        time.sleep(max(0, due - time.perf_counter()))
        connection = http.client.HTTPConnection("127.0.0.1", options.port, timeout=10)  # a new one each, as GitHub does
        connection.request("POST", "/webhook", body, headers)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - due)
        statuses.append(answer.status)
        connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--limit-ms", type=float, default=50)
    options = parser.parse_args()
    times, statuses, threads = [], [], 32
    begin = time.perf_counter() + 0.5
    pool = [threading.Thread(target=worker, args=(options, i, threads, begin, times, statuses)) for i in range(threads)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    elapsed = time.perf_counter() - begin
    times.sort()
    quantile = {q: 1e3 * times[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.9, 0.99, 0.999)}
    accepted = statuses.count(202)
    print(f"{len(times)} hooks of {len(hook(1))} bytes at {len(times) / elapsed:.0f}/s, {accepted} accepted; ms: " +
          ", ".join(f"p{100 * q:g} {v:.2f}" for q, v in quantile.items()) + f", max {1e3 * times[-1]:.2f}")
    good = accepted == int(options.rate * options.seconds) and quantile[0.99] <= options.limit_ms
    print(f"p99 within {options.limit_ms:g} ms, all accepted: {'reached' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
