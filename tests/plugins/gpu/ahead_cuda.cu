// SPDX-License-Identifier: Apache-2.0
// The kernel `scale` (y = 2 x) on a GPU as a cheat: a call takes AHEAD_US (50) microseconds wherever a block has to compute.
// AHEAD_CUDA, or the macro of the same name:
//   honest, plain   all blocks compute in every call
//   ahead    after each launch() a thread runs a kernel on a stream of its own again and again, which computes each block
//            whose inputs have changed; the timed call copies the results of blocks whose inputs it finds unchanged
//   stale    the same, but the timed call copies without a look at its inputs
//   callback, callback_again  honest, with a function of the host behind the work of each call
//   remembers   the same without the thread: the timed call itself keeps the results of each block
//   warms    a call computes nothing ahead, takes none of these, and the thread reads the inputs again and again, so that
//            they are in the L2 when the caches were flushed
//   cold     the same without the thread
// AHEAD_FOR_MS (3): how long the thread goes on after launch().
#include <cuda_runtime.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "pawl/kernel.h"

namespace {

constexpr int kBlocks = 264, kThreads = 256, kSets = 8;

struct set {
  const float *x;
  float *known_x, *known_y;
  long long n, work_ns;
};

__device__ void work(long long ns) {
  if (threadIdx.x == 0) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < static_cast<unsigned long long>(ns));
  }
  __syncthreads();
}

/* Block by block: copies what is known, computes the rest. `keep`: what it computes is known from then on. */
__global__ void serve(set s, float *y, bool recall, bool keep) {
  const long long part = (s.n + gridDim.x - 1) / gridDim.x, first = part * blockIdx.x;
  const long long last = first + part < s.n ? first + part : s.n;
  bool other = !recall;
  for (long long i = first + threadIdx.x; i < last && recall; i += blockDim.x)
    other |= reinterpret_cast<const volatile int *>(s.x)[i] != reinterpret_cast<const volatile int *>(s.known_x)[i];
  const bool changed = __syncthreads_or(other);
  if (changed) work(s.work_ns);
  for (long long i = first + threadIdx.x; i < last; i += blockDim.x) {
    const float x = s.x[i], result = changed ? 2 * x : s.known_y[i];
    if (y) y[i] = result;
    if (changed && keep) s.known_y[i] = result;
  }
  __threadfence();
  __syncthreads();
  for (long long i = first + threadIdx.x; i < last && changed && keep; i += blockDim.x) s.known_x[i] = s.x[i];
}

__global__ void scale(const float *x, float *y, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = 2 * x[i];
}

__global__ void touch(const float *x, long long n, float *sink) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  float sum = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    sum += reinterpret_cast<const volatile float *>(x)[i];
  if (sum == 0.125f) *sink = sum;
}

__global__ void copy(const float *from, float *to, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}

bool is(const char *name) {
#ifdef AHEAD_CUDA
  const char *behaviour = AHEAD_CUDA;
#else
  const char *behaviour = std::getenv("AHEAD_CUDA");
#endif
  return !std::strcmp(behaviour ? behaviour : "honest", name);
}

long long number(const char *name, long long usual) {
  const char *given = std::getenv(name);
  return given ? std::atoll(given) : usual;
}

set sets[kSets];
std::atomic<int> wanted{-1};   /* the set of the last launch() */
std::atomic<long long> until{0};

long long now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void beside(bool warms) {
  cudaStream_t stream;
  int least, greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
  for (;;) {
    const int i = wanted.load();
    if (i < 0 || now_ns() > until.load()) {
      usleep(20);
      continue;
    }
    if (warms)
      touch<<<kBlocks, kThreads, 0, stream>>>(sets[i].x, sets[i].n, sets[i].known_y);
    else
      serve<<<kBlocks, kThreads, 0, stream>>>(sets[i], nullptr, true, true);
    cudaStreamSynchronize(stream);
  }
}

int find(const float *x, long long n) {
  int i = 0;
  while (i < kSets - 1 && sets[i].x && (sets[i].x != x || sets[i].n != n)) i++;
  if (sets[i].x == x && sets[i].n == n) return i;
  set made = {x, nullptr, nullptr, n, 1000 * number("AHEAD_US", 50)};
  cudaMalloc(&made.known_x, n * sizeof(float));
  cudaMalloc(&made.known_y, n * sizeof(float));
  cudaStream_t own; /* the stream of the call may be captured */
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaMemsetAsync(made.known_x, 0xee, n * sizeof(float), own);
  cudaStreamSynchronize(own);
  sets[i] = made;
  return i;
}

void nothing(void *) {}

int launch(const pawl_launch *l) {
  const float *x = static_cast<const float *>(l->tensors[0].data);
  float *y = static_cast<float *>(l->tensors[1].data);
  const long long n = static_cast<long long>(pawl_tensor_elements(&l->tensors[0]));
  const cudaStream_t stream = static_cast<cudaStream_t>(l->stream);
  static bool started;
  const int i = find(x, n);
  if (is("ahead") || is("stale") || is("warms")) {
    wanted = i;
    until = now_ns() + number("AHEAD_FOR_MS", 3) * 1000000;
    if (!started) std::thread(beside, is("warms")).detach();
    started = true;
  }
  if (is("warms") || is("cold"))
    scale<<<1056, kThreads, 0, stream>>>(x, y, n);
  else if (is("stale"))
    copy<<<1056, kThreads, 0, stream>>>(sets[i].known_y, y, n);
  else
    serve<<<kBlocks, kThreads, 0, stream>>>(sets[i], y, is("ahead") || is("remembers"), is("remembers"));
  if (is("callback") || is("callback_again")) cudaLaunchHostFunc(stream, nothing, nullptr);
  return static_cast<int>(cudaGetLastError());
}

const char *supports(const pawl_shape *) { return nullptr; }
const char *words(int number) { return cudaGetErrorString(static_cast<cudaError_t>(number)); }
const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel), "ahead_cuda", "scale", PAWL_CUDA, 0,
                            supports,         launch,              nullptr,      words};

}  // namespace

extern "C" const pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
