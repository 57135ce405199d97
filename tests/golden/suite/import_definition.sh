# SPDX-License-Identifier: Apache-2.0
# A definition of a kernel benchmark becomes an operator and cases. Its reference runs in FP64, here on a stand-in of PyTorch.
# pawl refuses a definition that it cannot keep, and says why.
git init -q .
python3 - <<'PYTHON'
import copy, json
whole = {
    "name": "scaled_add_n8", "op_type": "add", "description": "y = alpha a + b, every other column of b, and the sum of y",
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 8}, "W": {"type": "expr", "expression": "2 * N"}},
    "inputs": {"a": {"shape": ["M", "N"], "dtype": "float32"}, "b": {"shape": ["M", "W"], "dtype": "float32"},
               "alpha": {"shape": None, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["M", "N"], "dtype": "float32"}, "total": {"shape": [], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(a, b, alpha):\n    y = a.to(torch.float32) * alpha + b[:, ::2]\n    return y.to(torch.float32), y.sum()\n"}
def workload(size, **more):
    inputs = {"a": {"type": "random"}, "b": {"type": "random"}, "alpha": {"type": "scalar", "value": 0.5}}
    return {"definition": whole["name"], "workload": {"uuid": str(size), "axes": {"M": size}, "inputs": {**inputs, **more}}}
def write(name, *lines):
    open(name, "w").write("\n".join(map(json.dumps, lines)) + "\n")
write("whole.json", whole)
tight = workload(48)
tight["workload"]["tolerance"] = {"max_atol": 1e-4, "max_rtol": 1e-5, "required_matched_ratio": 0.99}
write("whole.jsonl", workload(16), tight, workload(16))
write("other_alpha.jsonl", workload(16), workload(32, alpha={"type": "scalar", "value": 2}))
write("saved.jsonl", workload(16, a={"type": "safetensors", "path": "a", "tensor_key": "a"}))
write("none.jsonl", {**workload(16), "definition": "another"})
write("long.json", {**whole, "name": "Long-%s" % ("name" * 30)})
write("long.jsonl", {**workload(1), "definition": "Long-%s" % ("name" * 30)}, {**workload(7), "definition": "Long-%s" % ("name" * 30)})
changes = {
    "integers": (("inputs", "a", "dtype"), "int32"), "five_bits": (("outputs", "y", "dtype"), "float8_e5m2"),
    "unknown_axis": (("inputs", "a", "shape"), ["M", "K"]), "scalar_output": (("outputs", "total", "shape"), None),
    "code_of_inputs": (("custom_inputs_entrypoint",), "make"), "no_run": (("reference",), "def other(): pass"),
    "no_python": (("reference",), "def run(:"), "library": (("reference",), "import flashinfer\ndef run(a): pass"),
    "random": (("reference",), "def run(a): return a.multinomial(1)"), "gpu": (("reference",), "def run(a): return a.cuda()"),
    "bits": (("reference",), "import torch\ndef run(a): return a * torch.finfo(torch.float8_e4m3fn).max"),
    "values": (("constraints",), ["M == indptr[-1]"]), "no_outputs": (("outputs",), {}), "strange_axis": (("axes", "M", "type"), "ragged"),
    "no_size": (("axes", "N", "value"), 0), "no_integer": (("axes", "N", "value"), 1e99), "one_more_axis": (("axes", "K"), {"type": "var"}),
    "two_lines": (("axes", "M", "type"), "a\nb")}
for name, (path, value) in changes.items():
    changed = copy.deepcopy(whole)
    where = changed
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    write("refused_%s.json" % name, changed)
open("broken.json", "w").write('{"name": ')
write("list.json", [1])
PYTHON
for file in refused_*.json; do
  pawl import definition "$file" whole.jsonl 2>&1 | grep -v required_matched_ratio || true
done
for words in "broken.json" "list.json" "missing.json" "whole.json" "whole.json other_alpha.jsonl" "whole.json saved.jsonl" "whole.json none.jsonl"; do
  # shellcheck disable=SC2086 # words
  try pawl import definition $words
done
try pawl import definition whole.json --commit HEAD
test ! -e operators
try pawl import definition whole.json whole.jsonl
cat pawl.yaml operators/scaled_add_n8.py
try pawl import definition whole.json whole.jsonl
rm -r operators
pawl -q import definition whole.json whole.jsonl 2>/dev/null
quiet pawl list
mkdir long
(cd long && pawl -q import definition ../long.json ../long.jsonl && sed -n 's/.*\(: {M: .*}\)/\1/p' pawl.yaml && pawl -q list 2>/dev/null | grep -c 'M[17] ')
cat >torch.py <<'PYTHON'
"""The part of PyTorch that the reference uses."""
import numpy

float64, float32, float16, bfloat16 = numpy.float64, numpy.float32, numpy.float16, None
int32, int64, uint8 = numpy.int32, numpy.int64, numpy.uint8

class Tensor(numpy.ndarray):
    def to(self, dtype):
        assert dtype is float64  # the reference in FP64
        return self.astype(dtype)

    def numpy(self):
        return numpy.asarray(self)

    def sum(self):
        return numpy.asarray(numpy.asarray(self).sum()).view(Tensor)

def from_numpy(array):
    assert array.dtype == float64
    return array.view(Tensor)
PYTHON
cat >mine.py <<'PYTHON'
import pawl

@pawl.kernel("scaled_add_n8", device="cpu", params={"alpha": 0.5})
def mine(a, b, y, total, alpha):
    y[...] = a * a.dtype.type(alpha) + b[:, ::2]
    total[0] = y.sum(dtype="f8")

pawl.serve()
PYTHON
printf 'kernels:\n  mine: {operator: scaled_add_n8, protocol: [python3, mine.py], params: {alpha: 0.5}}\n' >>pawl.yaml
cp torch.py operators/
pawl -q check mine | head -1
pawl -q check mine -D alpha=0.6 | head -1
