/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of tests use this part of fake_cuda.c besides the driver API: work for a stream. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Device addresses are host addresses moved by this, so that the host cannot use them by mistake.
 */
#define FAKE_CUDA_OFFSET 0x4000000000000000u

static inline void *fake_cuda_memory(const void *device_pointer) {
  return (void *)((uintptr_t)device_pointer - FAKE_CUDA_OFFSET);
}

/* Enqueues body(a copy of the argument); captured when the stream is. Returns a CUDA error. */
typedef int (*fake_cuda_enqueue_function)(void *stream, void (*body)(void *argument),
                                          const void *argument, size_t size);
/* The same on a stream that nobody waits for: done only when the whole device is waited for. */
typedef int (*fake_cuda_aside_function)(void (*body)(void *argument), const void *argument,
                                        size_t size);
/* Waits for the stream inside a launch: refused while it is captured. */
typedef int (*fake_cuda_wait_function)(void *stream);
/* Whether it is captured. */
typedef bool (*fake_cuda_is_captured_function)(void *stream);
/* Calls `then` after every cuMemset of a stream, before its next work: what is beside the stream
 * and quick enough. */
typedef void (*fake_cuda_after_fills_function)(void (*then)(void));
/* Calls `then` at each launch of a kernel. */
typedef void (*fake_cuda_at_launches_function)(void (*then)(void));
/* Calls `enter` before the device is waited for, as a function of the driver waits for a lock of
 * it. */
typedef void (*fake_cuda_at_waits_function)(void (*enter)(void));
