// SPDX-License-Identifier: Apache-2.0
// What the recorder needs of its own: inputs, simple reference kernels in double precision, and the comparison.
// Launched in one dimension with 256 threads a block and a thread for each value. CHANGED as in the kernels.
#define POISON 0xffffffffu
#define AT ((long)blockIdx.x * blockDim.x + threadIdx.x)
#if CHANGED
#define INPUTS(...) , __VA_ARGS__
#else
#define INPUTS(...)
#endif

static __device__ unsigned hash(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Uniform from -1 to 1.
extern "C" __global__ void fill_float(float *out, long count, long seed) {
  const long at = AT;
  if (at < count)
    out[at] = (hash((unsigned)at + 0x9e3779b9u * (unsigned)(seed + 1)) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

// Bytes as of a picture: a dark ground in one of four groups of 64, and grey values around the middle.
extern "C" __global__ void fill_bytes(unsigned char *out, long count, long seed) {
  const long at = AT;
  if (at >= count) return;
  const unsigned offset = 0x9e3779b9u * (unsigned)seed, random = hash((unsigned)at + offset);
  out[at] = hash((unsigned)(at / 64) + offset + 77u) % 4 ? ((random & 255) + (random >> 8 & 255)) / 2 : 0;
}

// wrong: the number of values that are off; a NaN is. Where the reference wrote nothing, the kernel must not either:
// there both still have the bits of the poison.
extern "C" __global__ void compare_float(const float *got, const float *expected, long count, double absolute,
                                         double relative, unsigned *wrong) {
  const long at = AT;
  if (at >= count) return;
  if (__float_as_uint(expected[at]) == POISON) {
    if (__float_as_uint(got[at]) != POISON) atomicAdd(wrong, 1u);
    return;
  }
  if (!(fabs((double)got[at] - expected[at]) <= absolute + relative * fabs((double)expected[at]))) atomicAdd(wrong, 1u);
}

extern "C" __global__ void compare_int(const unsigned *got, const unsigned *expected, long count, double absolute,
                                       double relative, unsigned *wrong) {
  const long at = AT;
  if (at < count && got[at] != expected[at]) atomicAdd(wrong, 1u);
}

// Keeps each multiprocessor busy for a while, so that the clock is up when a measurement begins.
extern "C" __global__ void heat(unsigned *sink, long nanoseconds) {
  unsigned long long begin, now;
  float x = threadIdx.x;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    for (int i = 0; i < 256; i++) x = x * 1.0001f + 0.5f;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < (unsigned long long)nanoseconds);
  if (x == -1) *sink = 1;
}

#ifdef OF_sgemm
extern "C" __global__ void reference(const float *a, const float *b,
                                     float *c INPUTS(const float *d, const float *bias)) {
  const int at = AT, row = at / SIZE, column = at % SIZE;
  if (at >= SIZE * SIZE) return;
  double sum = 0;
  for (int k = 0; k < SIZE; k++) sum += (double)a[row * SIZE + k] * b[k * SIZE + column];
#if CHANGED
  sum = fmax(0.0, sum + d[at] + bias[column]);
#endif
  c[at] = sum;
}
#endif

#ifdef OF_hotspot
// One step; the recorder launches it for each.
extern "C" __global__ void reference(const float *power, const float *source,
                                     float *target INPUTS(const float *conductivity)) {
  const int at = AT, x = at % SIZE, y = at / SIZE;
  if (at >= SIZE * SIZE) return;
  const double here = source[at];
  double around = x > 0 ? source[at - 1] : here;
  around += x < SIZE - 1 ? source[at + 1] : here;
  around += y > 0 ? source[at - SIZE] : here;
  around += y < SIZE - 1 ? source[at + SIZE] : here;
  double rate = 0.2;
#if CHANGED
  rate *= 0.75 + 0.25 * conductivity[at];
#endif
  target[at] = here + rate * (around - 4 * here) + 0.01 * power[at];
}
#endif

#ifdef OF_softmax
#if CHANGED
extern "C" __global__ void reference(const float *in, float *out, const unsigned char *mask) {
  const long row = AT;
  if (row >= ROWS) return;
  double top = -1e30, sum = 0;
  for (long i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
    if (mask[i]) top = fmax(top, (double)in[i]);
  for (long i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
    if (mask[i]) sum += exp(in[i] - top);
  for (long i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) out[i] = mask[i] ? in[i] - top - log(sum) : -3e38;
}
#else
extern "C" __global__ void reference(const float *in, float *out) {
  const long row = AT;
  if (row >= ROWS) return;
  double top = -1e30, sum = 0;
  for (int i = 0; i < COLUMNS; i++) top = fmax(top, (double)in[row * COLUMNS + i]);
  for (int i = 0; i < COLUMNS; i++) sum += exp(in[row * COLUMNS + i] - top);
  for (int i = 0; i < COLUMNS; i++) out[row * COLUMNS + i] = exp(in[row * COLUMNS + i] - top) / sum;
}
#endif
#endif

#ifdef OF_nbody
// The inputs: fill_float filled `together`; the masses become positive, and `apart` is the same transposed.
extern "C" __global__ void prepare(float *together, float *apart) {
  const long at = AT;
  if (at >= BODIES) return;
  together[4 * at + 3] = (together[4 * at + 3] + 2) / BODIES;
  for (int i = 0; i < 4; i++) apart[i * BODIES + at] = together[4 * at + i];
}

extern "C" __global__ void reference(const float *in, const float *ignored, float *out) {
  const long at = AT;
  if (at >= BODIES) return;
  double sum[3] = {0, 0, 0}, potential = 0;
  for (int j = 0; j < BODIES; j++) {
    double d[3], square = 0.01;
    for (int i = 0; i < 3; i++) d[i] = (double)in[4 * j + i] - in[4 * at + i];
    for (int i = 0; i < 3; i++) square += d[i] * d[i];
    if (j != at) potential -= in[4 * j + 3] / sqrt(square);
    for (int i = 0; i < 3; i++) sum[i] += in[4 * j + 3] * d[i] / (square * sqrt(square));
  }
  for (int i = 0; i < 3; i++) out[4 * at + i] = sum[i];
  out[4 * at + 3] = CHANGED ? potential : 0;
}
#endif

#ifdef OF_histogram
extern "C" __global__ void reference(const unsigned char *in, unsigned *out INPUTS(const unsigned char *weights)) {
  const long at = AT;
  if (at >= COUNT) return;
#if CHANGED
  atomicAdd(&out[in[at]], weights[at]);
#else
  atomicAdd(&out[in[at]], 1u);
#endif
}
#endif

#ifdef OF_stencil3d
extern "C" __global__ void reference(const float *in, float *out INPUTS(const float *previous)) {
  const long outer = SIZE + 8, plane = outer * outer, at = AT;
  if (at >= outer * plane) return;
  const int x = at % outer, y = at / outer % outer, z = at / plane;
  const double weight[5] = {-8.541667, 1.6, -0.2, 0.02539683, -0.001785714};
  if (x < 4 || x >= SIZE + 4 || y < 4 || y >= SIZE + 4 || z < 4 || z >= SIZE + 4) return;
  double sum = weight[0] * in[at];
  for (int d = 1; d <= 4; d++)
    sum += weight[d] * ((double)in[at - d] + in[at + d] + in[at - d * outer] + in[at + d * outer] + in[at - d * plane] +
                        in[at + d * plane]);
#if CHANGED
  sum = 2.0 * in[at] - previous[at] + 0.1 * sum;
#endif
  out[at] = sum;
}
#endif
