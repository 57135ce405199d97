/* SPDX-License-Identifier: Apache-2.0 */
/* The two peaks of a CPU, measured. */
#ifndef PAWL_DEVICE_CPU_CPU_PEAK_H
#define PAWL_DEVICE_CPU_CPU_PEAK_H

#include <stdbool.h>
#include <stddef.h>

/* FLOP/s, in 1e9, of independent fused multiply-adds on `threads` threads at once, in double or
   single precision, by the widest vectors that this CPU has. `unit` becomes "AVX-512", "AVX2" or
   "plain C". Takes about `seconds`. */
double pawl_cpu_peak_gflops(bool f64, int threads, double seconds, const char **unit);

/* Bytes per second, in 1e9, of a[i] = b[i] + s c[i] over arrays of `bytes` bytes each: McCalpin's
   STREAM triad. Counts the two arrays read and the one written, as STREAM does; the stores go past
   the caches where the CPU can do so. Best of repetitions within `seconds`, at least two. */
double pawl_cpu_bandwidth_gb_s(size_t bytes, int threads, double seconds);

#endif
