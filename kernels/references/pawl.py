# SPDX-License-Identifier: Apache-2.0
"""Kernels and operators as decorated functions, and the results of pawl as a table. docs/guides/python.md shows a whole
suite.

    import pawl

    @pawl.kernel(operator="scale", params={"BLOCK": 1024})
    def scale(x, y, n, BLOCK):                # tensors, sizes and parameters, by their names
        scale_kernel[(n + BLOCK - 1) // BLOCK,](x, y, n, BLOCK=BLOCK)

    pawl.serve()

`kernels.NAME.protocol: [python3, scale.py]` in pawl.yaml starts the script."""

import ast
import inspect
import json
import os
import re
import sys

import pawl_protocol

_REGISTERED = []  # in the order of the file: (name, a function that makes the Kernel or the Operator and serves it)
_TENSOR = re.compile(r"(in|out|inout)(?:\s+(\w+))?\s*\[(.*)\]\s*")
_LARGEST_SIZE = 1 << 30
_PART = 1 << 18  # elements: in FP64 a few arrays of that length fit into the caches of a CPU
_MOST_THREADS = 32  # the memory is busy with fewer
_ALIKE = 1e-9  # how much a part may differ from the whole, in parts of the largest element: sums have another order
_SWITCH = {"true": True, "yes": True, "false": False, "no": False}
_ALLOWED = (abs, all, any, bool, float, int, len, max, min, pow, round, sum)  # in expressions


def _value(expression, names, what):
    """The value of a Python expression over sizes, or of a function of them."""
    if not isinstance(expression, str):
        return expression(**_wanted(expression, names, what)) if callable(expression) else expression
    try:
        return eval(expression, {"__builtins__": {function.__name__: function for function in _ALLOWED}}, dict(names))
    except Exception as error:
        raise ValueError("%s '%s': %s" % (what, expression, error)) from None


def _wanted(function, names, what):
    """The part of `names` that the function takes."""
    taken = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            return dict(names)
        if name in names:
            taken[name] = names[name]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
            raise TypeError("%s takes '%s', which is none of %s" % (what, name, ", ".join(sorted(names))))
    return taken


def _words(text):
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)


# --- tensors as numpy arrays ---


def _e4m3_values(np):
    """The value of each byte: 4 bits of exponent with the bias 7, 3 bits of mantissa, no infinity."""
    codes = np.arange(256)
    exponent, mantissa = (codes >> 3) & 15, codes & 7
    values = np.where(exponent > 0, (8 + mantissa) * 2.0 ** (exponent - 10.0), mantissa * 2.0 ** -9)
    return np.where((codes & 127) == 127, np.nan, np.where(codes & 128, -values, values))


def exact(tensor, part=...):
    """The elements of a tensor, or of a part of it, as a new numpy array: float64, or int64 of integers."""
    import numpy as np

    array = tensor.array()[part]
    if tensor.dtype == "bf16":
        return pawl_protocol.bf16_to_f32(array).astype(np.float64)
    if tensor.dtype == "e4m3":
        return _e4m3_values(np)[array]
    return array.astype(np.int64 if tensor.dtype in ("i32", "i64", "u8") else np.float64)


def _torch_dtypes(torch):
    return {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
            "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8}


# --- operators ---


def operator(name=None, *, sizes, tensors, dtypes="f32", tolerances=None, distributions=None, flop=0, bytes=None,
             requires=None, arrays="numpy", independent=None):
    """Decorates the oracle. It takes inputs and sizes by name, inputs in FP64 (numpy, or torch with arrays="torch"), and
    returns the outputs: one, several in the order of `tensors`, or a dict.

    sizes          "M N", or {"M": (smallest, largest[, default[, help]])}
    tensors        {"x": "in[M, N]", "rows": "in i32[M]", "y": "out[M, N]"}: in, out or inout; without a dtype, that of the case
    dtypes         "f32 f16": the dtypes that a case may have, the first by default
    tolerances     {"f16": (atol, rtol[, rel_rms])}; of other dtypes, those of the precision
    distributions  {"normal": "normal", "large": ("uniform", 100.0), "sorted": function(tensors, shape, seed)}: the fill and
                   its scale, or a function that edits the inputs, as a dict of numpy arrays
    flop, bytes    an expression over the sizes, or a function of them; bytes: by default each tensor once, an inout twice
    requires       an expression over sizes and dtype that must be true
    independent    a size of each output, such as "M": an element at one index of it needs the inputs at that index alone. pawl
                   then computes parts in numpy on all CPUs. For each shape it first
                   compares two parts with the whole of them, on the first inputs"""

    def decorate(function):
        given = name or function.__name__
        _REGISTERED.append((given, lambda _: pawl_protocol.serve(
            _Operator(given, function, sizes, tensors, _words(dtypes), tolerances or {},
                      distributions or {"normal": "normal"}, flop, bytes, requires, arrays, independent))))
        return function

    return decorate


class _Operator(pawl_protocol.Operator):
    def __init__(self, name, function, sizes, tensors, dtypes, tolerances, distributions, flop, count, requires, arrays,
                 independent=None):
        need(arrays)
        self.name, self.function, self.arrays, self.requires = name, function, arrays, requires
        self.summary = (function.__doc__ or "").strip().partition("\n")[0]
        self.work, self.traffic = flop, count
        sizes = sizes if isinstance(sizes, dict) else {size: (1, _LARGEST_SIZE) for size in _words(sizes)}
        self.params = [{"name": size, "default": None, "help": "", **dict(zip(("min", "max", "default", "help"), row))}
                       for size, row in sizes.items()]
        self.layout = {tensor: self.parsed(tensor, text) for tensor, text in tensors.items()}
        self.tolerances = [dict(zip(("dtype", "atol", "rtol", "rel_rms"), (dtype, *tolerances.get(dtype, ()))))
                           for dtype in dtypes]
        self.edits = {key: row for key, row in distributions.items() if callable(row)}
        self.distributions = [self.distribution(key, row) for key, row in distributions.items()]
        unknown = set(tolerances) - set(dtypes)
        if unknown:
            raise ValueError("operator '%s' has a tolerance for %s, which is none of its dtypes" % (name, min(unknown)))
        self.parts = _Parts(independent, sizes, self.layout, arrays) if independent else None

    @staticmethod
    def parsed(name, text):
        found = _TENSOR.fullmatch(text.strip())
        if not found:
            raise ValueError("tensor '%s' is '%s'; write a role and sizes, such as 'in f32[M, N]'" % (name, text))
        if found[2] and found[2] not in pawl_protocol.DTYPES:
            raise ValueError("tensor '%s' has the dtype '%s'; choose %s" % (name, found[2], ", ".join(pawl_protocol.DTYPES)))
        return found[1], found[2], found[3]

    @staticmethod
    def distribution(name, row):
        fill, scale = (row, 1.0) if isinstance(row, str) else ("normal", 1.0) if callable(row) else row
        return {"name": name, "fill": fill, "scale": float(scale), "adjust": callable(row)}

    def tensors(self, shape):
        if self.requires and not _value(self.requires, shape, "requires"):
            raise pawl_protocol.Invalid("%s must be true" % self.requires if isinstance(self.requires, str)
                                        else "the operator refuses these sizes")
        return [{"name": name, "role": role, "dtype": dtype or shape["dtype"],
                 "size": [int(size) for size in _value("(%s,)" % sizes if sizes.strip() else "()", shape, "tensor '%s'" % name)]}
                for name, (role, dtype, sizes) in self.layout.items()]

    def flop(self, shape):
        return _value(self.work, shape, "flop")

    def bytes(self, shape):
        return super().bytes(shape) if self.traffic is None else _value(self.traffic, shape, "bytes")

    def adjust(self, tensors, shape, distribution, seed):
        self.edits[distribution]({name: tensor.array() for name, tensor in tensors.items()}, shape, seed)

    def oracle(self, tensors, shape, expected):
        if self.parts:
            return self.parts.compute(self.answer, tensors, shape, expected)
        given = {name: exact(tensor) for name, tensor in tensors.items() if tensor.role != "out"}
        if self.arrays == "torch":
            import torch

            given = {name: torch.from_numpy(array) for name, array in given.items()}
        for name, value in self.answer(given, shape, list(expected)).items():
            _write(expected[name].array(), value.numpy() if self.arrays == "torch" else value, name)

    def answer(self, given, shape, outputs):
        """The outputs of these inputs, by name."""
        what = "operator '%s'" % self.name
        return _named(self.function(**_wanted(self.function, {**shape, **given}, what)), outputs, what)


class _Parts:
    """An oracle that computes parts of the outputs, side by side, along a size whose indices do not depend on each other."""

    def __init__(self, size, sizes, layout, arrays):
        if arrays != "numpy" or size not in sizes:
            raise ValueError("independent is '%s'; name one of %s, and PyTorch's arrays need none: they use all CPUs"
                             % (size, ", ".join(sizes)))
        self.size, self.known, self.pool = size, set(), None
        self.axes = {name: self.axis(name, role, text) for name, (role, _, text) in layout.items()}

    def axis(self, name, role, text):
        """The axis of the tensor that has this size; None: the tensor has none."""
        words = ast.parse("(%s,)" % text if text.strip() else "()", mode="eval").body.elts
        own = [isinstance(word, ast.Name) and word.id == self.size for word in words]
        uses = sum(isinstance(node, ast.Name) and node.id == self.size for word in words for node in ast.walk(word))
        if uses != sum(own) or uses > 1 or (role != "in" and not uses):
            raise ValueError("independent is '%s', but tensor '%s' is '[%s]': each output has this size once, by its name alone"
                             % (self.size, name, text))
        return own.index(True) if uses else None

    def part(self, name, begin, end):
        axis = self.axes[name]
        return ... if axis is None else (slice(None),) * axis + (slice(begin, end),)

    def compute(self, answer, tensors, shape, expected):
        count = shape[self.size]
        largest = max(_product(tensor.size) for name, tensor in tensors.items() if self.axes[name] is not None)
        length = max(1, _PART * count // max(largest, 1))
        shared = {name: exact(tensor) for name, tensor in tensors.items() if self.axes[name] is None}
        for array in shared.values():
            array.flags.writeable = False  # all parts read it

        def of(begin, end):
            given = {name: exact(tensor, self.part(name, begin, end)) for name, tensor in tensors.items()
                     if tensor.role != "out" and name not in shared}
            return answer({**shared, **given}, {**shape, self.size: end - begin}, list(expected))

        def write(begin):
            end = min(begin + length, count)
            for name, value in of(begin, end).items():
                _write(expected[name].array()[self.part(name, begin, end)], value, name)

        key = tuple(shape.items())
        if count > length and key not in self.known:
            self.compare(of, min(length, count // 2))
            self.known.add(key)
        self.each(write, range(0, count, length))

    def compare(self, of, half):
        """Two parts must be those of the whole."""
        import numpy as np

        whole, parts = of(0, 2 * half), (of(0, half), of(half, 2 * half))
        for name, value in whole.items():
            joined = np.concatenate([part[name] for part in parts], axis=self.axes[name])
            largest = np.max(np.abs(value), initial=0, where=np.isfinite(value))
            if joined.shape != value.shape or not np.allclose(joined, value, rtol=_ALIKE, atol=_ALIKE * largest, equal_nan=True):
                raise ValueError("'%s' depends on more than its own index of %s: the operator is not independent along %s"
                                 % (name, self.size, self.size))

    def each(self, work, begins):
        """Runs the parts on all CPUs; numpy computes without Python's lock."""
        if len(begins) == 1:
            return work(begins[0])
        if not self.pool:
            from concurrent.futures import ThreadPoolExecutor

            self.pool = ThreadPoolExecutor(min(len(os.sched_getaffinity(0)), _MOST_THREADS))
        for _ in self.pool.map(work, begins):
            pass


def _write(array, value, name):
    shape = tuple(getattr(value, "shape", ()))
    if shape != tuple(array.shape):
        raise ValueError("the result for '%s' has the shape %s, not %s" % (name, shape, tuple(array.shape)))
    array[...] = value


def _named(result, names, what):
    """A returned value by the names of the outputs."""
    if not isinstance(result, dict):
        result = dict(zip(names, result)) if isinstance(result, (tuple, list)) and len(result) == len(names) else (
            {names[0]: result} if len(names) == 1 and result is not None else {})
    if set(result) != set(names):
        raise ValueError("%s must return %s" % (what, " and ".join("'%s'" % name for name in names)))
    return result


# --- kernels ---


def kernel(operator, *, name=None, params=None, device=None, arrays=None, supports=None, workspace=None, deterministic=False):
    """Decorates the call. It takes tensors, sizes, "dtype", workspace and parameters by name, and writes the outputs that it
    takes; those that it does not take it returns: one, several in the order of the operator, or a dict.

    params     {"BLOCK": 1024, "num_warps": 8}: `params` of pawl.yaml overrides them, and `pawl tune` searches them
    device     "cuda" or "cpu"; by default that of `arrays`
    arrays     what the function takes: "torch" (the default on a GPU), "cupy" or "numba", which are views of PyTorch's tensors
               on its stream; on a CPU "numpy" (the default) or "torch"
    supports   an expression over sizes, dtype and params that must be true, or a function that returns None or the reason
    workspace  {"partial": "f32[M, 64]"}: tensors that live between calls
    deterministic  whether the same inputs give the same bits"""

    def decorate(function):
        given = name or function.__name__
        _REGISTERED.append((given, lambda words: _serve_kernel(
            given, function, operator, _typed(params or {}, words), device, arrays, supports, workspace or {},
            deterministic)))
        return function

    return decorate


def _typed(params, words):
    """The parameters with the values of the command line, of the same types."""
    found = dict(params)
    for key, text in words.items():
        if key not in params:
            raise ValueError("pawl.yaml gives the parameter '%s', which is none of the kernel's: %s"
                             % (key, ", ".join(params) or "it has none"))
        kind = type(params[key])
        try:
            found[key] = _SWITCH[text.lower()] if kind is bool else kind(text)
        except (ValueError, KeyError):
            raise ValueError("the parameter '%s' is '%s' in pawl.yaml; the kernel's default %s is of the type %s"
                             % (key, text, params[key], kind.__name__)) from None
    return found


def _serve_kernel(name, function, operator, params, device, arrays, supports, workspace, deterministic):
    device = device or ("cpu" if arrays == "numpy" else "cuda")
    arrays = arrays or ("torch" if device == "cuda" else "numpy")
    known = ("torch", "cupy", "numba") if device == "cuda" else ("numpy", "torch")
    if arrays not in known:
        raise ValueError("arrays are '%s'; on the device '%s' choose %s" % (arrays, device, ", ".join(known)))
    call = _Call(name, function, operator, params, arrays, supports, workspace, deterministic)
    if device == "cuda":
        import pawl_torch

        pawl_torch.serve(lambda: _gpu_kernel(call), needs=[] if arrays == "torch" else [arrays])
    else:
        need(arrays)
        pawl_protocol.serve(_CpuKernel(call))


class _Call:
    """The arguments of a function and the outputs that it returns, for both devices."""

    def __init__(self, name, function, operator, params, arrays, supports, workspace, deterministic):
        self.name, self.function, self.operator, self.params, self.arrays = name, function, operator, params, arrays
        self.condition, self.deterministic = supports, deterministic
        self.workspace = {key: self.parsed(key, text) for key, text in workspace.items()}
        self.takes = set(inspect.signature(function).parameters)

    @staticmethod
    def parsed(name, text):
        """(dtype, sizes)"""
        return _Operator.parsed(name, "in " + text)[1:]

    def supports(self, shape):
        if self.condition is None:
            return None
        found = _value(self.condition, {**self.params, **shape}, "supports")
        if isinstance(self.condition, str):
            return None if found else "%s must be true" % self.condition
        return None if found is None or found is True else str(found or "the kernel does not support this shape")

    def sizes(self, name, shape):
        dtype, sizes = self.workspace[name]
        return dtype or shape["dtype"], tuple(int(size) for size in _value("(%s,)" % sizes, {**self.params, **shape}, name))

    def run(self, tensors, shape):
        """The returned value. The names of tensors come before those of sizes and parameters."""
        names = {**self.params, **shape, **tensors}
        return self.function(**_wanted(self.function, names, "kernel '%s'" % self.name))

    def outputs(self, result, outputs):
        """The outputs that it returned, by name."""
        left = [name for name in outputs if name not in self.takes]
        if not left and result is None:
            return {}
        return _named(result, left, "kernel '%s' takes no output of %s, so it" % (self.name, left) if left else
                      "kernel '%s' takes all outputs, so it" % self.name)


class _CpuKernel(pawl_protocol.Kernel):
    device = "cpu"

    def __init__(self, call):
        self.name, self.operator, self.deterministic = call.name, call.operator, call.deterministic
        self.made, self.views = call, {}

    def supports(self, shape):
        return self.made.supports(shape)

    def environment(self):
        module = sys.modules.get(self.made.arrays)
        return {self.made.arrays: module.__version__} if module else {}

    def view(self, tensor):
        if self.made.arrays == "numpy":
            return tensor.array()
        import torch

        return torch.frombuffer(tensor.buffer, dtype=_torch_dtypes(torch)[tensor.dtype]).reshape(tensor.size)

    def prepare(self, sets, shape, threads):
        total, self.work = 0, {}
        for name in self.made.workspace:
            dtype, size = self.made.sizes(name, shape)
            buffer = bytearray(pawl_protocol.DTYPES[dtype][0] * _product(size))
            self.work[name] = self.view(pawl_protocol.Tensor(
                {"dtype": dtype, "size": size, "fd": 0, "offset": 0, "bytes": len(buffer)}, {0: buffer}))
            total += len(buffer)
        if self.made.arrays == "torch":
            sys.modules["torch"].set_num_threads(threads)
        self.views = {id(one): {name: self.view(tensor) for name, tensor in one.items()} for one in sets}
        return total

    def call(self, tensors, shape):
        views = self.views[id(tensors)]
        result = self.made.run({**views, **self.work}, shape)
        outputs = [tensor.name for tensor in tensors.values() if tensor.role == "out"]
        for name, value in self.made.outputs(result, outputs).items():
            _write(views[name], value, name)


def _product(numbers):
    total = 1
    for number in numbers:
        total *= number
    return total


def _gpu_kernel(call):
    import pawl_torch
    import pawl_triton

    class GpuKernel(pawl_torch.TorchKernel):
        name, operator, deterministic = call.name, call.operator, call.deterministic

        def supports(self, shape):
            return call.supports(shape)

        def environment(self):
            known = {name: sys.modules[name] for name in ("triton", "cupy", "numba", "cutlass") if name in sys.modules}
            told = {"autotuned": pawl_triton.autotuned(), "machine_code": pawl_triton.machine_code(self.functions)} if self.captures else {}
            return {**super().environment(), **{name: text for name, text in told.items() if text},
                    **{name: str(getattr(module, "__version__", "")) for name, module in known.items()}}

        def takes_output(self, name):
            return name in call.takes

        def prepare(self, sets, shape, threads):
            self.work = {}
            for name in call.workspace:
                dtype, size = call.sizes(name, shape)
                self.work[name] = self.torch.empty(size, dtype=self.dtypes[dtype], device="cuda")
            used = sum(work.numel() * work.element_size() for work in self.work.values())
            return used + super().prepare(sets, shape, threads)

        def compute(self, tensors, shape):
            given = {**tensors, **self.work}
            with _stream_of(call.arrays, self.torch):
                result = call.run({name: _array_of(call.arrays, value) for name, value in given.items()}, shape)
            outputs = [name for name, role in self.roles.items() if role == "out"]
            return {name: _tensor_of(call.arrays, value, self.torch)
                    for name, value in call.outputs(result, outputs).items()}

    return GpuKernel()


def _array_of(arrays, tensor):
    if arrays == "cupy":
        return sys.modules["cupy"].from_dlpack(tensor)
    return sys.modules["numba"].cuda.as_cuda_array(tensor) if arrays == "numba" else tensor


def _tensor_of(arrays, value, torch):
    return value if arrays == "torch" else torch.as_tensor(value, device="cuda")


class _NoStream:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _stream_of(arrays, torch):
    """CuPy has a current stream of its own. The captured one is PyTorch's."""
    if arrays != "cupy":
        return _NoStream()
    return sys.modules["cupy"].cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)


# --- serving ---


def need(*modules):
    """Imports the modules. Where one is missing, pawl gets the reason, and the kernel is absent if it is optional."""
    for module in modules:
        try:
            __import__(module)
        except (ImportError, OSError) as error:
            if "PAWL_PROTOCOL" not in os.environ:
                raise
            pawl_protocol.refuse("%s cannot load '%s': %s" % (sys.executable, module, " ".join(str(error).split())))


def serve():
    """Serves the kernel or the operator that the script defines; of several, the one that the command names
    (`protocol: [python3, softmax.py, NAME]`). Returns at once where the script is imported or pawl did not start it."""
    caller = sys._getframe(1).f_globals
    if caller.get("__name__") == "__main__":
        serve_for(sys.argv[0])


def serve_for(script):
    """The same for the script that pawl started, from a module that it calls."""
    if "PAWL_PROTOCOL" not in os.environ or os.path.abspath(script) != os.path.abspath(sys.argv[0]):
        return
    names = [word for word in sys.argv[1:] if "=" not in word]
    params = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    wanted = [make for name, make in _REGISTERED if not names or name == names[0]]
    try:
        if len(wanted) != 1:
            raise ValueError("'%s' defines %s; %s" % (
                script, ", ".join("'%s'" % name for name, _ in _REGISTERED) or "no kernel and no operator",
                "there is no '%s'" % names[0] if names else "name one in the command"))
        wanted[0](params)
    except ValueError as error:
        pawl_protocol.refuse(str(error), kind="invalid")


# --- results ---


def load(path):
    """The results of a run (`perf/out`), a folder with results.json or verdict.json, or one such file: a row for each kernel
    and case. A pandas.DataFrame where pandas is installed, else a list of dicts."""
    names = ("results.json", "verdict.json")
    files = [os.path.join(path, name) for name in names] if os.path.isdir(path) else [path]
    rows, found = {}, False
    for name in files:
        if os.path.isdir(path) and not os.path.exists(name):
            continue
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        if "results" not in document and "comparisons" not in document:
            raise ValueError("'%s' has no results and no verdicts; pawl.load reads results.json and verdict.json" % name)
        found = True
        for item in document.get("results", []):
            _row(rows, item).update(_result_columns(item))
        for item in document.get("comparisons", []):
            _row(rows, item).update({key: item.get(key) for key in _VERDICT_COLUMNS}, verdict_reason=item.get("reason"))
    if not found:
        raise FileNotFoundError("'%s' has no results.json and no verdict.json: run pawl bench -o %s/results.json, or pawl run"
                                % (path, path))
    try:
        import pandas
    except ImportError:
        return list(rows.values())
    return pandas.DataFrame(list(rows.values()))


_VERDICT_COLUMNS = ("verdict", "baseline_time_ms", "current_time_ms", "speedup", "delta_pct", "baseline_commit")


def _row(rows, item):
    row = rows.setdefault((item["kernel_name"], item["case"]), {"kernel": item["kernel_name"], "case": item["case"]})
    row.update(item.get("config") or {})
    return row


def _result_columns(item):
    """The figures of a result, without its samples."""
    times = {key: value for key, value in (item.get("performance") or {}).items() if not isinstance(value, (list, dict))}
    return {"operator": item.get("operator"), "device": item.get("device"), "outcome": item.get("outcome"),
            "reason": item.get("reason"), "correct": (item.get("correctness") or {}).get("passed"), **times}
