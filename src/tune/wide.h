/* SPDX-License-Identifier: Apache-2.0 */
/* PAWL_WIDE marks a static function whose loops handle eight floats at once if the machine can.
   The order of the operations, and so every bit of the result, is the same. The loader chooses
   the version before a sanitizer is ready, so a sanitized program has one version. The functions
   are static, because gcc and clang name the versions differently. */
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PAWL_SANITIZED
#endif
#endif
#if defined(__x86_64__) && !defined(PAWL_SANITIZED) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define PAWL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define PAWL_WIDE
#endif
