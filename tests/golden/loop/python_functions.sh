# SPDX-License-Identifier: Apache-2.0
# An operator and a kernel as decorated functions: several outputs, an inout, a workspace, a shape that the kernel does not
# support, bfloat16. What is wrong in them is one line.
cat >ops.py <<'PYTHON'
import pawl

@pawl.operator(sizes={"M": (1, 4096), "N": (1, 4096, 64, "columns")}, dtypes="f32 f16 bf16",
               tensors={"x": "in[M, N]", "scale": "in f32[N]", "seen": "inout i64[1]", "y": "out[M, N]", "mean": "out f32[M]"},
               tolerances={"f16": (2e-3, 2e-3)}, flop="5 * M * N", requires="N != 13",
               distributions={"normal": "normal", "large": ("uniform", 100.0),
                              "ones": lambda tensors, shape, seed: tensors["scale"].fill(1)})
def norm(x, scale, seen, M):
    """Rows without their mean."""
    mean = x.mean(axis=1)
    return {"seen": seen + M, "y": (x - mean[:, None]) * scale, "mean": mean}

pawl.serve()
PYTHON
cat >kernels.py <<'PYTHON'
import numpy as np
import pawl
import pawl_protocol

@pawl.kernel("norm", device="cpu", params={"BLOCK": 16, "fast": True}, supports="N <= 2048 and BLOCK > 0",
             workspace={"partial": "f64[M, BLOCK]"}, deterministic=True)
def norm(x, scale, seen, y, M, partial, dtype):
    seen += M
    values = (pawl_protocol.bf16_to_f32(x) if dtype == "bf16" else x).astype(np.float64)
    partial[:, 0] = values.mean(axis=1)
    result = (values - partial[:, :1]) * scale
    y[...] = pawl_protocol.f32_to_bf16(result) if dtype == "bf16" else result
    return partial[:, 0]

@pawl.kernel("norm", device="cpu")
def one_output(x, y):
    y[...] = x
    return y

@pawl.kernel("norm", device="cpu")
def other_names(x, weights):
    return x

@pawl.kernel("norm", device="cpu", supports="N <= columns")
def wrong_condition(x):
    return x

pawl.serve()
PYTHON
suite() {
  cat >pawl.yaml <<SUITE
version: 1
operators:
  norm: {protocol: [python3, ops.py]}
kernels:
  norm: {operator: norm, protocol: [python3, kernels.py, $1]}
cases:
  small: {operator: norm, M: 32, N: 64, dtype: f32}
check:
  norm: {M: [1, 7], N: [1, 64, 3000], dtype: [f32, f16, bf16]}
measure: {warmup: 1, samples: 6, processes: 2}
SUITE
}
suite norm
pawl check | sed 's/^  worst.*/  worst/'
mkdir -p perf/out
pawl -q bench -o perf/out/results.json >/dev/null
PYTHONPATH=$PAWL_HOME/share/pawl/python python3 - <<'PYTHON'
import pawl
row, = pawl.load("perf/out")
assert row["median_ms"] > 0 and row["min_ms"] <= row["max_ms"]
print({name: row[name] for name in ("kernel", "M", "N", "dtype", "outcome", "correct")})
try:
    pawl.load(".")
except FileNotFoundError as error:
    print(error)
PYTHON
# a wrong output, a wrong inout
sed -i 's/return partial\[:, 0\]/return 1.001 * partial[:, 0]/' kernels.py
pawl check norm --row 1 | grep wrong
sed -i 's/return 1.001 \* /return /; s/seen += M/seen += 1 + M/' kernels.py
pawl check norm --row 1 | grep wrong
for name in one_output other_names wrong_condition missing; do
  suite $name
  try pawl -q check norm --row 1
done
suite norm
sed -i 's/protocol: \[python3, ops.py\]/protocol: [python3, wrong.py]/' pawl.yaml
sed 's/out\[M, N\]/result[M, N]/' ops.py >wrong.py
try pawl -q check norm --row 1
sed 's/"mean": mean/"mean": x/' ops.py >wrong.py
try pawl -q check norm --row 1
