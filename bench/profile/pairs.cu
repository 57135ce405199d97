// SPDX-License-Identifier: Apache-2.0
// Launches each kernel of the named files (teaching, planted, more), or of all. Under `ncu
// --profile-from-start off` every kernel is profiled once: bench/profile/run.sh.
#include <cuda_profiler_api.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pairs.h"

namespace {

constexpr size_t ELEMENTS = 8192 * 4096;

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "pairs: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

void launch_all(int words, char **names, float *x, float *y, int multiprocessors) {
  const struct {
    const char *name;
    const pair_kernel *pairs;
    int count;
  } files[] = {{"teaching", teaching_pairs, teaching_count},
               {"planted", planted_pairs, planted_count},
               {"more", more_pairs, more_count}};
  for (const auto &file : files) {
    bool wanted = words == 1;
    for (int i = 1; i < words; i++) wanted |= !std::strcmp(names[i], file.name);
    for (int i = 0; wanted && i < file.count; i++) {
      file.pairs[i].launch(x, y, multiprocessors, nullptr);
      check(cudaGetLastError(), file.pairs[i].name);
    }
  }
  check(cudaDeviceSynchronize(), "the kernels");
}

}  // namespace

int main(int words, char **names) {
  int multiprocessors = 0;
  float *x = nullptr, *y = nullptr;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "the GPU");
  check(cudaMalloc(&x, sizeof(float) * (ELEMENTS + 128)), "memory");
  check(cudaMalloc(&y, sizeof(float) * (ELEMENTS + 128)), "memory");
  check(cudaMemset(x, 0, sizeof(float) * ELEMENTS), "memory");
  check(cudaMemset(y, 0, sizeof(float) * ELEMENTS), "memory");
  launch_all(words, names, x, y, multiprocessors);  // loads the code
  check(cudaProfilerStart(), "the profiler");
  launch_all(words, names, x, y, multiprocessors);
  check(cudaProfilerStop(), "the profiler");
  return 0;
}
