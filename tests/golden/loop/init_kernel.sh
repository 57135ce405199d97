# SPDX-License-Identifier: Apache-2.0
# A function of the user's own is in the gate after two commands, whatever the language of its file.
cat >saxpy.c <<'END'
/* void old(float *x) { } */
static float twice(float v) { return v * 2; }
void declared(float *x);
void saxpy(unsigned long n, float alpha, const float *restrict x, float y[]) {
  for (unsigned long i = 0; i < n; i++) y[i] = alpha * twice(x[i]);
}
END
cat >sums.cpp <<'END'
#include <cstdint>
namespace detail { inline double add(double a, double b) { return a + b; } }
template <typename T> void generic(T *x) { *x = 0; }
extern "C" {
void first(int *x) { *x = 0; }
void sums(int64_t rows, int columns, const double *__restrict__ a, const double *b, double *out) {
  for (int64_t i = 0; i < rows * columns; i++) out[i] = detail::add(a[i], b[i]);
}
}
END
cat >filter.cpp <<'END'
class Filter {
 public:
  explicit Filter(float k) : k_(k) {}
  void process(const float *in, float *out, int n) { for (int i = 0; i < n; i++) out[i] = k_ * in[i]; }
  void more(const float *in, float *out, int n);
 private:
  float k_;
};
void Filter::more(const float *in, float *out, int n) { process(in, out, n); }
END
cat >filter.py <<'END'
class Filter:
    def __init__(self, k=0.5):
        self.k = k

    def process(self, x):
        def scaled(y):
            return self.k * y

        return scaled(x)


try:
    import numpy
except ImportError:
    numpy = None
if numpy:
    def twice(x):
        return 2 * numpy.asarray(x)
END
cat >relu.py <<'END'
"""def no(x): pass"""
@triton.jit
def relu_kernel(x_ptr, y_ptr, n):
    pass

def relu(x, n: int): # (y)
    return [max(v, 0) for v in x]
END
cat >add.cu <<'END'
__device__ float f(float x) { return x * 2; }
__global__ void add(const float *__restrict__ a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = f(a[i]) + b[i];
}
END
cat >opaque.c <<'END'
void opaque(struct thing *t, int n) { t->a = n; }
END
start() {
  rm -rf pawl.yaml operators kernels ./*_pawl.py
  try pawl init --kernel "$1"
}
start sums.cpp:sums
cat pawl.yaml
try pawl check --trust-outputs
start relu.py
sed -n '/^@pawl/,/^$/p' operators/relu.py relu_pawl.py
grep protocol pawl.yaml
start add.cu
sed -n '/static int launch/,/^}/p' kernels/add_pawl.cu
start opaque.c
start sums.cpp:generic
start filter.cpp:process
start filter.cpp:more
start filter.cpp
start filter.py:process
start filter.py:scaled
start filter.py
start opaque.txt
start saxpy.c
try pawl init --kernel saxpy.c
# A suite gets a line more in each section, and keeps its text.
cp pawl.yaml alone.yaml
sed -i 's/^  \(first\|saxpy\):/      \1:/; s/^check:.*/# mine\ncheck: {/; s/^      saxpy: {n: .*/  saxpy: {n: [1, 7]}}/' pawl.yaml
try pawl init --kernel sums.cpp
sed -i 's/^check: {/check:/; s/^  saxpy: {n: \[1, 7\]}}/    saxpy: {n: [1, 7], oracle: base}/' pawl.yaml
try pawl init --kernel sums.cpp
cat pawl.yaml
cat >more.py <<'END'
def scaled(x, *rest, n: int, **options): return x
def other(x, /, n: int): return x
END
try pawl init --kernel more.py
sed -n '/^def/,/compute(/p' scaled_pawl.py
try pawl check --trust-outputs saxpy first
mv alone.yaml pawl.yaml
rm operators/[fos]*.py operators/first.c kernels/first* scaled_pawl.py
sed -i 's/first:.*/first: {operator: saxpy, n: 1000, dtype: f32}/; s/measure:.*/measure: {warmup: 1, samples: 12, processes: 6}/' pawl.yaml
try pawl check --trust-outputs
commit "Start"
pawl run --update-baseline --trust-outputs 2>/dev/null | head -1
commit "Record the baseline"
sed -i 's/alpha \* twice/1 + alpha * twice/' saxpy.c
pawl run >out 2>/dev/null || true
head -1 out
# The kernel's file is no part of the operator.
grep 'in this change' out || true
# Python imports the kernel from its own folder, so a change of comments alone needs no measurement.
rm -rf pawl.yaml operators kernels ./*_pawl.py ./*.c ./*.cpp ./*.cu relu.py more.py perf out
mkdir "my, own"
printf 'def half(x, y, n: int):\n    y[:] = x / 2\n' >"my, own/half.py"
try pawl init --kernel "my, own/half.py"
sed -n '/import/p' "my, own/half_pawl.py"
grep protocol pawl.yaml
sed -i 's/n: 1000000/n: 1000/; s/measure:.*/measure: {warmup: 1, samples: 12, processes: 6}/' pawl.yaml
commit "Start anew"
pawl -q run --update-baseline --trust-outputs >/dev/null 2>&1 || true
commit "Record the baseline anew"
sed -i 's/ 2$/ 2  # one half/; 1i # Halves.' "my, own/half.py"
commit "Say what it does"
pawl -q run >/dev/null 2>&1 || true
field perf/out/verdict.json comparisons.0.reason | sed 's/[0-9a-f]\{12\}/COMMIT/'
