# SPDX-License-Identifier: Apache-2.0
# The check passes without an edit where the body or the names say what each tensor is: an output that the kernel reads too, a
# number that it returns, the matrices of a product, a function in a namespace, the default of a scalar, of an optional tensor or of a string.
# Takes long.
cat >own.cpp <<'END'
#include <cstddef>
namespace a { namespace b::c {
void axpy(std::size_t n, float alpha, const float *x, float *y) {
  for (std::size_t i = 0; i < n; i++) y[i] = alpha * x[i] + y[i];
}
} // namespace b::c
static void helper() {}
void scaled(int n, float *y) { for (int i = 0; i < n; i++) y[i] *= 2; }
}
void product(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      C[i * N + j] = 0;
      for (int k = 0; k < K; k++) C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
}
END
cat >own.c <<'END'
double total(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
void bytes(const unsigned char *in, unsigned char *out, int n) {
  for (int i = 0; i < n; i++) out[i] = in[i];
}
void nothing(const float *x, int n) {}
void wide(const long double *x, long double *y, int n) {}
END
cat >norm.py <<'END'
def norm(x, out, rows: int, eps: float = 1e-5):
    out[:] = x / (abs(x).max() + eps)

def relu(x):
    return x * (x > 0)

def total(x, axis=0, keep: bool = True, n: int = 4, block: int = 128):
    return x

def linear(x: "Tensor", bias=None, shape=(4, 4), limit=float("inf"), mode="relu", scale: dict[str, float] | None = None, n: int = 4, *, eps=0):
    return x if bias is None and mode == "relu" else None
END
cat >sizes.cpp <<'END'
#include <cstddef>
// the bounds of the indexes are the sizes; a const pointer, a default, and a word behind the brackets
void gemv(const float *A, const float *x, float *const y, int m, int n, float alpha = 2.5f, bool up = true) noexcept {
  for (int i = 0; i < m; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++) sum += A[(size_t)i * n + j] * x[j];
    y[i] = up ? alpha * sum : sum;
  }
}
// a stride is no size of the rows, so the tensor gets all sizes
void rows(const double *x, double *y, int r, int ld) {
  for (int i = 0; i < r; i++) y[i] = x[i * ld];
}
template <typename T> static void add(const T *x, T *y, int n) {
  for (int i = 0; i < n; i++) y[i] += x[i];
}
void add_float(const float *x, float *y, int n) { add(x, y, n); }
END
cat >launch.cu <<'END'
template <int BLOCK> __global__ void twice_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
void twice(const float *x, float *y, int n, cudaStream_t stream = 0) {
  twice_kernel<128><<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
void on_default_stream(const float *x, float *y, int n) { twice(x, y, n); }
END
start() {
  rm -rf pawl.yaml operators kernels ./*_pawl.py .pawl
  pawl init --kernel "$1" 2>/dev/null
  sed -n '/^} tensors/,/^};/p; /^      SIZE/p; /^      1,/p; /^static double flop/p' operators/*.c
  grep -E '^  .*(axpy|scaled|product|total|bytes)\(' kernels/* || true
}
for function in axpy scaled product; do
  start own.cpp:$function
  try pawl check --trust-outputs
done
for function in total bytes; do
  start own.c:$function
  try pawl check --trust-outputs
done
for function in norm relu total linear; do
  rm -rf pawl.yaml operators kernels ./*_pawl.py .pawl
  pawl init --kernel norm.py:$function 2>/dev/null
  sed -n '/^from/p; /^def/,/^$/p' ${function}_pawl.py
  try pawl check --trust-outputs
done
rm -rf pawl.yaml operators kernels ./*_pawl.py
for function in gemv rows add_float; do
  start sizes.cpp:$function
  sed -n '/^ *'$function'(/p' kernels/*
  try pawl check --trust-outputs
done
rm -rf pawl.yaml operators kernels .pawl
try pawl init --kernel sizes.cpp:add
try pawl init --kernel launch.cu:twice_kernel
try pawl init --kernel launch.cu:on_default_stream
pawl init --kernel launch.cu 2>/dev/null
sed -n '/static int launch/,/^}/p' kernels/*
rm -rf pawl.yaml operators kernels
try pawl init --kernel own.c:nothing
try pawl init --kernel own.c:wide
