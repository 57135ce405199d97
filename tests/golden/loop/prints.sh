# SPDX-License-Identifier: Apache-2.0
# A kernel that prints harms nothing: standard output holds results only.
repository
sed -i 's|#include <pawl/kernel.h>|&\n#include <stdio.h>|; s/const int64_t n = .*/&\n  puts("noise"); fputs("noise\\n", stderr);/' kernels/scale_cpu.c
try pawl check
