/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one thread on a range of query rows of one head, for the instruction set that ISA
   names. Included once for each; no include guard.

   Everything is transposed: a vector holds LANES queries. A tile is up to 3 vectors of queries
   wide. Its scores are [keys][queries], so that maximum, exponential and sum run down the lanes and
   need no shuffles; K and V are read row by row as they lie in memory, one element at a time
   broadcast to all queries; only Q and O are transposed, once a tile. The softmax is the online
   one: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; the loop over key
   blocks is that of Dao, "FlashAttention-2", 2023. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(name) PASTE(name, ISA)
#define VEC NAME(vec)
#define LANES NAME(LANES)
#define ROWS NAME(ROWS)
#define TARGET NAME(TARGET)

/* scores[r][lane] = q^T k_r for ROWS rows of k, [ROWS, D] with `stride` elements between rows; q:
   [D][nv * LANES]; largest[]: running maximum of the scores of each query. */
INLINE TARGET void NAME(score_rows)(const int nv, const float *q, const float *k, int64_t stride,
                                    int64_t d, float *scores, VEC *largest) {
  VEC acc[ROWS][MAX_VECTORS], query[MAX_VECTORS];
  UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < nv; v++) acc[r][v] =
      NAME(set1)(0.0f);
  for (int64_t c = 0; c < d; c++) {
    UNROLL for (int v = 0; v < nv; v++) query[v] = NAME(load)(q + (c * nv + v) * LANES);
    UNROLL for (int r = 0; r < ROWS; r++) {
      const VEC key = NAME(set1)(k[r * stride + c]);
      UNROLL for (int v = 0; v < nv; v++) acc[r][v] = NAME(fma)(key, query[v], acc[r][v]);
    }
  }
  UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < nv; v++) {
    NAME(store)(scores + (r * nv + v) * LANES, acc[r][v]);
    largest[v] = NAME(max)(acc[r][v], largest[v]);
  }
}

/* out[r][lane] = out[r][lane] * correction[lane] + sum over keys j of value[j][r] *
   weights[j][lane], for ROWS columns of V, of which value is the first; `stride` elements lie
   between the rows of V. */
INLINE TARGET void NAME(add_values)(const int nv, const float *weights, const float *value,
                                    int64_t stride, int64_t keys, const VEC *correction,
                                    float *out) {
  VEC acc[ROWS][MAX_VECTORS], weight[MAX_VECTORS];
  UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < nv; v++) acc[r][v] =
      NAME(load)(out + (r * nv + v) * LANES) * correction[v];
  for (int64_t j = 0; j < keys; j++) {
    UNROLL for (int v = 0; v < nv; v++) weight[v] = NAME(load)(weights + (j * nv + v) * LANES);
    UNROLL for (int r = 0; r < ROWS; r++) {
      const VEC element = NAME(set1)(value[j * stride + r]);
      UNROLL for (int v = 0; v < nv; v++) acc[r][v] = NAME(fma)(element, weight[v], acc[r][v]);
    }
  }
  UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < nv; v++)
      NAME(store)(out + (r * nv + v) * LANES, acc[r][v]);
}

/* One tile of queries against one block of `keys` rows of k and v. visible_from: the first query's
   index minus the first key's: lane i sees the keys 0 .. visible_from + i of the block; keys - 1 or
   more: all are seen. */
INLINE TARGET void NAME(attend_block)(const int nv, const struct tile *tile,
                                      const struct scratch *scratch, const float *k, const float *v,
                                      int64_t keys, int64_t visible_from, int64_t d, float scale) {
  const int width = nv * LANES;
  float *scores = scratch->scores;
  VEC largest[MAX_VECTORS], maximum[MAX_VECTORS], correction[MAX_VECTORS], sum[MAX_VECTORS];
  UNROLL for (int i = 0; i < nv; i++) largest[i] = NAME(set1)(-__builtin_inff());
  int64_t j = 0;
  for (; j + ROWS <= keys; j += ROWS)
    NAME(score_rows)(nv, tile->query, k + j * d, d, d, scores + j * width, largest);
  if (j <
      keys) { /* the last rows of the sequence: repeat the last one, it cannot raise the maximum */
    for (int64_t r = 0; r < ROWS; r++)
      memcpy(scratch->last_keys + r * d, k + (j + r < keys ? j + r : keys - 1) * d,
             (size_t)d * sizeof *k);
    NAME(score_rows)(nv, tile->query, scratch->last_keys, d, d, scores + j * width, largest);
  }
  if (visible_from < keys - 1) {
    UNROLL for (int i = 0; i < nv; i++) largest[i] = NAME(set1)(-__builtin_inff());
    for (j = 0; j < keys; j++) UNROLL for (int i = 0; i < nv; i++) {
        const VEC masked = NAME(mask_lanes)(NAME(load)(scores + j * width + i * LANES),
                                            (int)(visible_from - j) + i * LANES);
        NAME(store)(scores + j * width + i * LANES, masked);
        largest[i] = NAME(max)(masked, largest[i]);
      }
  }
  const VEC factor = NAME(set1)(scale);
  UNROLL for (int i = 0; i < nv; i++) {
    const VEC before = NAME(load)(tile->maximum + i * LANES);
    maximum[i] = NAME(max)(largest[i] * factor, before);
    correction[i] = NAME(exp2)(before - maximum[i]);
    sum[i] = NAME(set1)(0.0f);
    NAME(store)(tile->maximum + i * LANES, maximum[i]);
    maximum[i] = -maximum[i];
  }
  for (j = 0; j < keys; j++) UNROLL for (int i = 0; i < nv; i++) {
      float *score = scores + j * width + i * LANES;
      const VEC weight = NAME(exp2)(NAME(fma)(NAME(load)(score), factor, maximum[i]));
      NAME(store)(score, weight);
      sum[i] += weight;
    }
  UNROLL for (int i = 0; i < nv; i++) {
    const VEC before = NAME(load)(tile->sum + i * LANES);
    NAME(store)(tile->sum + i * LANES, NAME(fma)(before, correction[i], sum[i]));
  }
  for (int64_t c = 0; c < d; c += ROWS)
    NAME(add_values)(nv, scores, v + c, d, keys, correction, tile->out + c * width);
}

/* The tile widths as constants, so that the accumulators live in registers. */
static TARGET void NAME(attend_tile)(const struct tile *tile, const struct scratch *scratch,
                                     const float *k, const float *v, int64_t keys,
                                     int64_t visible_from, int64_t d, float scale) {
  switch (tile->width / LANES) {
    case 3: NAME(attend_block)(3, tile, scratch, k, v, keys, visible_from, d, scale); break;
    case 2: NAME(attend_block)(2, tile, scratch, k, v, keys, visible_from, d, scale); break;
    default: NAME(attend_block)(1, tile, scratch, k, v, keys, visible_from, d, scale); break;
  }
}

/* count: a multiple of 16 */
static TARGET void NAME(load_floats)(const struct pawl_tensor *t, int64_t first, int64_t count,
                                     float *out) {
  if (t->dtype == PAWL_F32) {
    memcpy(out, (const float *)t->data + first, (size_t)count * sizeof *out);
  } else if (t->dtype == PAWL_F16) {
    NAME(halves_to_floats)((const uint16_t *)t->data + first, count, out);
  } else {
    const uint16_t *in = (const uint16_t *)t->data + first;
    for (int64_t i = 0; i < count; i++) {
      const uint32_t bits = (uint32_t)in[i] << 16;
      memcpy(&out[i], &bits, sizeof bits);
    }
  }
}

static TARGET void NAME(store_floats)(const float *in, int64_t count, const struct pawl_tensor *t,
                                      int64_t first) {
  if (t->dtype == PAWL_F32) {
    memcpy((float *)t->data + first, in, (size_t)count * sizeof *in);
  } else if (t->dtype == PAWL_F16) {
    NAME(floats_to_halves)(in, count, (uint16_t *)t->data + first);
  } else {
    uint16_t *out = (uint16_t *)t->data + first;
    for (int64_t i = 0; i < count; i++) {
      uint32_t bits;
      memcpy(&bits, &in[i], sizeof bits);
      const uint32_t rounded =
          (bits + 0x7fff + (bits >> 16 & 1)) >> 16; /* to nearest, ties to even */
      out[i] = (uint16_t)(in[i] == in[i] ? rounded : 0x7fc0);
    }
  }
}

/* Fills a tile with `rows` queries from element `first` on, transposed; the lanes left over are
 * zero. */
static TARGET void NAME(load_tile)(const struct tile *tile, const struct scratch *scratch,
                                   const struct pawl_tensor *q, int64_t first, int64_t rows,
                                   int64_t d) {
  for (int64_t lane = 0; lane < tile->width; lane += QUAD) {
    const int64_t valid = smaller(QUAD, rows - lane);
    if (valid < QUAD) memset(scratch->rows, 0, (size_t)(QUAD * d) * sizeof(float));
    if (valid > 0) NAME(load_floats)(q, first + lane * d, valid * d, scratch->rows);
    for (int64_t c = 0; c < d; c += QUAD)
      transpose_quads(scratch->rows + c, d, NULL, tile->query + c * tile->width + lane,
                      tile->width);
  }
  for (int64_t lane = 0; lane < tile->width; lane++) {
    tile->maximum[lane] = -__builtin_inff();
    tile->sum[lane] = 0.0f;
  }
  memset(tile->out, 0, (size_t)(tile->width * d) * sizeof(float));
}

/* Divides what the tile gathered by the sum of its weights, and writes its first `rows` queries
 * from element `first`.
 */
static TARGET void NAME(store_tile)(const struct tile *tile, const struct scratch *scratch,
                                    const struct pawl_tensor *o, int64_t first, int64_t rows,
                                    int64_t d) {
  for (int64_t lane = 0; lane < rows; lane += QUAD) {
    float inverse[QUAD];
    for (int i = 0; i < QUAD; i++) inverse[i] = 1.0f / tile->sum[lane + i];
    for (int64_t c = 0; c < d; c += QUAD)
      transpose_quads(tile->out + c * tile->width + lane, tile->width, inverse, scratch->rows + c,
                      d);
    NAME(store_floats)(scratch->rows, smaller(QUAD, rows - lane) * d, o, first + lane * d);
  }
}

#undef TARGET
#undef ROWS
#undef LANES
#undef VEC
#undef NAME
#undef PASTE
#undef PASTE_
