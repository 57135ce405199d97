// SPDX-License-Identifier: Apache-2.0
// The kernel `scale` (y = 2 x) on a GPU. SCALE_CUDA, or the macro of the same name, says how it behaves:
//   honest          one launch
//   spin_5us spin_50us   the same, after a wait of that many microseconds on the GPU: its time is known
//   two_launches    half of the work each
//   own_streams     half on a stream of its own, forked and joined by events
//   atomics         through atomic adds
//   side_stream     half on a stream of its own, not joined
//   side_nonblocking     the same on a stream that the legacy stream does not wait for
//   eager           all on a stream of its own, and an empty kernel on the stream given
//   legacy          on the default stream
//   waits           waits for the stream before it returns
//   allocates       takes and frees device memory
//   outside         writes one element behind y
//   illegal         writes to address 16
//   error           returns 7 without a launch
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "pawl/kernel.h"

namespace {

__global__ void scale(const float *x, float *y, long long first, long long last, long long wait_ns) {
  if (wait_ns > 0 && threadIdx.x == 0) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < static_cast<unsigned long long>(wait_ns));
  }
  if (wait_ns > 0) __syncthreads();
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = first + static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < last; i += step)
    y[i] = 2 * x[i];
}

__global__ void scale_atomic(const float *x, float *y, long long last) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < last; i += step) {
    atomicExch(&y[i], 0.0f);
    atomicAdd(&y[i], x[i]);
    atomicAdd(&y[i], x[i]);
  }
}

__global__ void nothing() {}

bool is(const char *name) {
#ifdef SCALE_CUDA
  const char *behaviour = SCALE_CUDA;
#else
  const char *behaviour = std::getenv("SCALE_CUDA");
#endif
  return !std::strcmp(behaviour ? behaviour : "honest", name);
}

const char *supports(const pawl_shape *) { return nullptr; }

const char *words(int number) { return number == 7 ? "seven" : cudaGetErrorString(static_cast<cudaError_t>(number)); }

struct call {
  const float *x;
  float *y;
  long long n;
  cudaStream_t stream;

  void run(cudaStream_t on, long long first, long long last, long long wait_ns = 0) const {
    scale<<<1056, 256, 0, on>>>(x, y, first, last, wait_ns);
  }
};

cudaStream_t own_stream(unsigned flags) {
  static cudaStream_t stream[2];
  if (!stream[flags]) cudaStreamCreateWithFlags(&stream[flags], flags);
  return stream[flags];
}

void fork_and_join(const call &c) {
  static cudaEvent_t fork, join;
  if (!fork) cudaEventCreate(&fork), cudaEventCreate(&join);
  const cudaStream_t other = own_stream(cudaStreamNonBlocking);
  cudaEventRecord(fork, c.stream);
  cudaStreamWaitEvent(other, fork, 0);
  c.run(other, 0, c.n / 2);
  c.run(c.stream, c.n / 2, c.n);
  cudaEventRecord(join, other);
  cudaStreamWaitEvent(c.stream, join, 0);
}

void misbehave(const call &c) {
  if (is("side_stream") || is("side_nonblocking")) {
    c.run(own_stream(is("side_stream") ? cudaStreamDefault : cudaStreamNonBlocking), 0, c.n / 2, 200000);
    c.run(c.stream, c.n / 2, c.n);
  } else if (is("eager")) {
    c.run(own_stream(cudaStreamNonBlocking), 0, c.n);
    nothing<<<1, 1, 0, c.stream>>>();
  } else if (is("legacy")) {
    c.run(nullptr, 0, c.n);
  } else if (is("waits")) {
    c.run(c.stream, 0, c.n);
    cudaStreamSynchronize(c.stream);
  } else if (is("allocates")) {
    void *memory = nullptr;
    cudaMalloc(&memory, 1 << 20);
    c.run(c.stream, 0, c.n);
    cudaFree(memory);
  } else if (is("outside")) {
    c.run(c.stream, 0, c.n);
    scale<<<1, 1, 0, c.stream>>>(c.x, c.y + c.n, 0, 1, 0);
  } else if (is("illegal")) {
    scale<<<1, 1, 0, c.stream>>>(c.x, reinterpret_cast<float *>(16), 0, 1, 0);
  }
}

int launch(const pawl_launch *l) {
  const call c = {static_cast<const float *>(l->tensors[0].data), static_cast<float *>(l->tensors[1].data),
                  static_cast<long long>(pawl_tensor_elements(&l->tensors[0])), static_cast<cudaStream_t>(l->stream)};
  if (is("error")) return 7;
  if (is("honest"))
    c.run(c.stream, 0, c.n);
  else if (is("spin_5us"))
    c.run(c.stream, 0, c.n, 5000);
  else if (is("spin_50us"))
    c.run(c.stream, 0, c.n, 50000);
  else if (is("two_launches"))
    c.run(c.stream, 0, c.n / 2), c.run(c.stream, c.n / 2, c.n);
  else if (is("own_streams"))
    fork_and_join(c);
  else if (is("atomics"))
    scale_atomic<<<1056, 256, 0, c.stream>>>(c.x, c.y, c.n);
  else
    misbehave(c);
  return static_cast<int>(cudaGetLastError());
}

const pawl_kernel kernel = {PAWL_ABI_VERSION, sizeof(pawl_kernel), "scale_cuda", "scale", PAWL_CUDA, 0,
                            supports,         launch,              nullptr,      words};

}  // namespace

extern "C" const pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
