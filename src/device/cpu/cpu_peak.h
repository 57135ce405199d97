/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the two peaks of a CPU. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns 1e9 FLOP/s of independent fused multiply-adds on `threads` threads at once, in double or
 * single precision, with the CPU's widest vectors. `unit` becomes "AVX-512", "AVX2" or "plain C".
 * Takes about `seconds`. */
double pawl_cpu_peak_gflops(bool f64, int threads, double seconds, const char **unit);

/* Returns 1e9 bytes/s of a[i] = b[i] + s c[i] over arrays of `bytes` bytes each: McCalpin's STREAM
 * triad. Like STREAM, it counts the two arrays read and the one written. The stores bypass the
 * caches if the CPU can. It is the best of at least two repetitions within `seconds`. */
double pawl_cpu_bandwidth_gb_s(size_t bytes, int threads, double seconds);
