# SPDX-License-Identifier: Apache-2.0
# The check passes without an edit where the body or the names say what each tensor is: an output that the kernel reads too, a
# number that it returns, the matrices of a product, a function in a namespace, the default of a scalar, of an optional tensor or of a string.
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

def linear(x: "Tensor", bias=None, shape=(4, 4), mode="relu", scale: dict[str, float] | None = None, n: int = 4, *, eps=0):
    return x if bias is None and mode == "relu" else None
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
try pawl init --kernel own.c:nothing
try pawl init --kernel own.c:wide
