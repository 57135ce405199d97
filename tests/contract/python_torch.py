#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_sdpa.py where there is no PyTorch: what it calls stands in, with the signatures, layouts and refusals of
PyTorch 2.x, flash-attn 2 to 4, xFormers (xformers/ops/fmha/__init__.py) and cuDNN's front end 1.23. flash-attn and xFormers
take and give [B, S, H, D] where the operator has [B, H, S, D]. PYTHONPATH names the references' folder."""

import contextlib
import inspect
import itertools
import math
import random
import sys
import types
import unittest

import pawl_protocol
import pawl_torch


class Tensor:
    """Numbers with strides, on which a transpose is a view."""

    def __init__(self, shape, dtype="f16", numbers=None, strides=None):
        self.shape, self.dtype = tuple(shape), dtype
        self.numbers = [0.0] * math.prod(shape) if numbers is None else numbers
        self.strides = strides or tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))

    def transpose(self, a, b):
        def swapped(values):
            values = list(values)
            values[a], values[b] = values[b], values[a]
            return tuple(values)
        return Tensor(swapped(self.shape), self.dtype, self.numbers, swapped(self.strides))

    def place(self, index):
        if any(not 0 <= i < n for i, n in zip(index, self.shape)):
            raise IndexError(index)
        return sum(i * stride for i, stride in zip(index, self.strides))

    def __getitem__(self, index):
        return self.numbers[self.place(index)]

    def __setitem__(self, index, value):
        self.numbers[self.place(index)] = value

    def stride(self, dim=None):
        return self.strides if dim is None else self.strides[dim]

    def dense(self):
        return Tensor(self.shape, self.dtype, [self[index] for index in itertools.product(*map(range, self.shape))])


class Permuted:
    def __init__(self, size, memory=None):
        self.size, self.memory = size, memory or size

    def permute(self, dims):
        return Permuted([self.size[dim] for dim in dims], self.memory)


def drawn(shape, dtype="f16"):
    numbers = random.Random(repr(shape) + dtype)
    return Tensor(shape, dtype, [numbers.gauss(0, 1) for _ in range(math.prod(shape))])


def attention(q, k, v, causal):
    """A plain computation on tensors [B, S, H, D]. Returns a new tensor, dense in that order."""
    batches, length, heads, depth = q.shape
    out = Tensor(q.shape, q.dtype)
    for b, s, h in itertools.product(range(batches), range(length), range(heads)):
        keys = range(s + 1 if causal else length)
        scores = [sum(q[b, s, h, d] * k[b, t, h, d] for d in range(depth)) / math.sqrt(depth) for t in keys]
        weights = [math.exp(score - max(scores)) for score in scores]
        for d in range(depth):
            out[b, s, h, d] = sum(w * v[b, t, h, d] for w, t in zip(weights, keys)) / sum(weights)
    return out


def refuse_strided(*tensors):
    if any(t.stride(-1) != 1 for t in tensors):
        raise ValueError("the last dimension must be contiguous")


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    refuse_strided(q, k, v)
    if q.dtype not in ("f16", "bf16"):
        raise RuntimeError("FlashAttention only support fp16 and bf16 data type")
    return attention(q, k, v, causal)


def flash_attn_3_func(q, k, v, softmax_scale=None, causal=False, qv=None, q_descale=None, k_descale=None, v_descale=None,
                      window_size=(-1, -1), attention_chunk=0, softcap=0.0, num_splits=1, pack_gqa=None,
                      deterministic=False, sm_margin=0, return_attn_probs=False):
    refuse_strided(q, k, v)
    return attention(q, k, v, causal)


def flash_attn_4_func(q, k, v, softmax_scale=None, causal=False, window_size=(None, None), learnable_sink=None, softcap=0.0):
    refuse_strided(q, k, v)
    assert q.dtype in ("f16", "bf16"), "inputs must be float16 or bfloat16"
    return attention(q, k, v, causal), "sums"


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False):
    rows = range(query.shape[2])
    seen = None if block_mask is None else [[block_mask(0, 0, row, key) for key in rows] for row in rows]
    if seen and seen != [[key <= row for key in rows] for row in rows]:
        raise ValueError("another mask than the causal one")
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    return attention(q, k, v, block_mask is not None).transpose(1, 2)


class CudnnTensor:
    def set_output(self, _):
        return self

    set_dim = set_stride = set_data_type = set_output


class CudnnGraph:
    """cudnn.pygraph with the calls of a forward attention, in their order."""

    def __init__(self, io_data_type, intermediate_data_type, compute_data_type, handle):
        self.inputs, self.places, self.built, self.causal = [], [], False, False

    def tensor_like(self, tensor):
        self.inputs.append(tensor)
        return "place %d" % len(self.inputs)

    def sdpa(self, q, k, v, is_inference=None, attn_scale=None, diagonal_alignment=None, diagonal_band_right_bound=None, *, name):
        assert (q, k, v) == ("place 1", "place 2", "place 3") and is_inference
        assert attn_scale == self.inputs[0].shape[3] ** -0.5
        if self.inputs[0].shape[3] > 256:
            raise CudnnNotSupported("No execution plans support the graph.")
        self.causal = (diagonal_alignment, diagonal_band_right_bound) == ("top left", 0)
        self.result = CudnnTensor()
        return self.result, None

    def tensor(self, dim, stride, data_type, name=""):
        self.places = [*self.places, "scale" if dim == [1, 1, 1, 1] else data_type]
        return "place %d" % len(self.places)

    def sdpa_fp8(self, q, k, v, descale_q, descale_k, descale_v, descale_s, scale_s, scale_o, is_inference=None, attn_scale=None,
                 use_causal_mask=False, name=""):
        assert self.places == ["E4M3"] * 3 + ["scale"] * 6 and is_inference and attn_scale == 0.5
        self.causal, self.result, self.largest = use_causal_mask, CudnnTensor(), (CudnnTensor(), CudnnTensor())
        return self.result, None, *self.largest

    def build(self, modes):
        self.built = modes == ["A", "fallback"]

    def get_workspace_size(self):
        return 0

    def execute(self, tensors, workspace, handle):
        assert self.built and handle == "handle" and workspace.shape == (1,)
        q, k, v = (tensors["place %d" % number].transpose(1, 2) for number in (1, 2, 3))
        if self.places:
            assert set(tensors) == {"place %d" % (n + 1) for n in range(9)} | {self.result, *self.largest}
            assert all(tensors["place %d" % n].shape == (1, 1, 1, 1) for n in range(4, 10))
        tensors[self.result].numbers[:] = attention(q, k, v, self.causal).transpose(1, 2).dense().numbers


class CudnnNotSupported(Exception):
    pass


class LowerTriangularMask:
    pass


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, *, op=None):
    refuse_strided(query, key, value)
    if query.shape[-1] > 128:
        raise NotImplementedError("No operator found for `memory_efficient_attention_forward`")
    return attention(query, key, value, isinstance(attn_bias, LowerTriangularMask))


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members, __spec__=types.SimpleNamespace(name=name))
    return made


class Calls(list):
    """A function that keeps what it was called with."""

    def wrap(self, function):
        def called(*words, **named):
            self.append((function.__name__, inspect.signature(function).bind(*words, **named).arguments))
            return function(*words, **named)
        return called


def stand_ins(calls, chosen):
    def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                     enable_gqa=False):
        q, k, v = (t.transpose(1, 2) for t in (query, key, value))
        return attention(q, k, v, is_causal).transpose(1, 2)

    @contextlib.contextmanager
    def sdpa_kernel(backends, set_priority=False):
        chosen.append(backends)
        yield

    backends = types.SimpleNamespace(FLASH_ATTENTION="flash", CUDNN_ATTENTION="cudnn", EFFICIENT_ATTENTION="efficient",
                                     MATH="math")
    torch = module(
        "torch", __version__="2.11.0", float64="f64", float32="f32", float16="f16", bfloat16="bf16", int32="i32",
        int64="i64", uint8="u8", version=types.SimpleNamespace(cuda="13.0"),
        no_grad=contextlib.nullcontext, zeros=lambda size, dtype, device: Tensor(size, dtype),
        empty=lambda size, dtype, device: Tensor((size,), dtype), ones=lambda size, dtype, device: Tensor(size, dtype),
        empty_like=lambda tensor, dtype=None: Tensor(tensor.shape, dtype or tensor.dtype), float8_e4m3fn="e4m3",
        compile=lambda function, dynamic: function, __path__=[],
        cuda=types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None, Event=lambda: None,
                                   Stream=lambda: None, set_stream=lambda stream: None,
                                   current_stream=lambda: types.SimpleNamespace(cuda_stream="stream")),
        backends=types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 91900),
                                       cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=None))),
        nn=types.SimpleNamespace(
            attention=types.SimpleNamespace(sdpa_kernel=sdpa_kernel, SDPBackend=backends),
            functional=types.SimpleNamespace(scaled_dot_product_attention=calls.wrap(scaled_dot_product_attention))))
    ops = module("xformers.ops", memory_efficient_attention=calls.wrap(memory_efficient_attention),
                 LowerTriangularMask=LowerTriangularMask)
    flex = module("torch.nn.attention.flex_attention", flex_attention=calls.wrap(flex_attention),
                  create_block_mask=lambda mask, B, H, Q_LEN, KV_LEN, device: mask)
    cudnn = module("cudnn", __version__="1.23.0", backend_version=lambda: 91900, create_handle=lambda: "handle",
                   set_stream=lambda handle, stream: None, pygraph=calls.wrap(CudnnGraph),
                   data_type=types.SimpleNamespace(HALF="f16", BFLOAT16="bf16", FLOAT="f32", FP8_E4M3="E4M3"),
                   diagonal_alignment=types.SimpleNamespace(TOP_LEFT="top left"),
                   heur_mode=types.SimpleNamespace(A="A", FALLBACK="fallback"), cudnnGraphNotSupportedError=CudnnNotSupported)
    return {"torch": torch, "torch.nn": module("torch.nn", __path__=[]), "torch.nn.attention": module("attention", __path__=[]),
            "torch.nn.attention.flex_attention": flex, "cudnn": cudnn,
            "flash_attn": module("flash_attn", __version__="2.8.3", flash_attn_func=calls.wrap(flash_attn_func), __path__=[]),
            "flash_attn.cute": module("flash_attn.cute", __version__="0.1.0", flash_attn_func=calls.wrap(flash_attn_4_func)),
            "flash_attn_interface": module("flash_attn_interface", flash_attn_func=calls.wrap(flash_attn_3_func)),
            "xformers": module("xformers", __version__="0.0.33", ops=ops, __path__=[]), "xformers.ops": ops}


class Refused(Exception):
    pass


class TorchSdpa(unittest.TestCase):
    SHAPE = {"B": 2, "H": 3, "S": 5, "D": 4, "dtype": "f16"}  # all different: no axis passes for another

    def setUp(self):
        self.calls, self.chosen = Calls(), []
        self.put(stand_ins(self.calls, self.chosen))

    def put(self, modules):
        kept = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name, None) if was is None else sys.modules.update({name: was})
                                 for name, was in kept.items()])

    def kernel(self, backend):
        """The kernel that serve would serve, or its refusal."""
        import torch_sdpa
        served = []

        def refuse(reason):
            raise Refused(reason)
        kept = pawl_protocol.serve, pawl_protocol.refuse
        self.addCleanup(lambda: vars(pawl_protocol).update(serve=kept[0], refuse=kept[1]))
        pawl_protocol.serve, pawl_protocol.refuse = served.append, refuse
        torch_sdpa.main(["--backend", backend])
        return served[0]

    def check(self, backend, function, causal, dtype="f16"):
        q, k, v = (drawn((2, 3, 5, 4), dtype) for _ in range(3))
        q.numbers, k.numbers = q.numbers[::-1], k.numbers[7:] + k.numbers[:7]  # three that differ
        out = self.kernel(backend).compute({"q": q, "k": k, "v": v}, {**self.SHAPE, "causal": int(causal)})
        expected = attention(*(t.transpose(1, 2) for t in (q, k, v)), causal).transpose(1, 2)
        self.assertEqual((out.shape, out.dtype), ((2, 3, 5, 4), "f16"))
        for index in itertools.product(*map(range, out.shape)):
            self.assertAlmostEqual(out[index], expected[index], places=12)
        self.assertEqual([name for name, _ in self.calls], [function])
        return self.calls.pop()[1]

    def test_flash_attn_gets_what_it_takes(self):
        for version in "", "-3", "-4":
            for causal in (False, True):
                function = "flash_attn%s_func" % version.replace("-", "_")
                arguments = self.check("flash-attn" + version, function, causal)
                self.assertEqual(arguments["q"].shape, (2, 5, 3, 4))  # batch, length, heads, depth
                self.assertEqual(arguments["causal"], causal)

    def test_packages_get_the_order_of_their_users_in_memory(self):
        for backend in ("flash-attn", "flash-attn-3", "flash-attn-4", "xformers"):
            self.assertEqual(self.kernel(backend).memory_order, (0, 2, 1, 3))
        for backend in ("default", "cudnn-frontend", "flex"):
            self.assertIsNone(self.kernel(backend).memory_order)

    def test_a_tensor_in_another_order_has_the_sizes_of_the_operator(self):
        kernel = self.kernel("flash-attn")
        shared = {"q": (types.SimpleNamespace(size=[2, 3, 5, 4]), "f16")}
        torch = types.SimpleNamespace(empty=lambda size, dtype, device: Permuted(size))
        capture = types.SimpleNamespace(kernel=kernel, shared=shared, torch=torch)
        made = pawl_torch._Capture.empty(capture, "q")
        self.assertEqual((made.size, made.memory), ([2, 3, 5, 4], [2, 5, 3, 4]))
        kernel.memory_order = (3, 0, 2, 1)  # its own inverse is another one
        made = pawl_torch._Capture.empty(capture, "q")
        self.assertEqual((made.size, made.memory), ([2, 3, 5, 4], [4, 2, 5, 3]))

    def test_flex_attention_gets_a_mask(self):
        for causal in (False, True):
            self.assertEqual(self.check("flex", "flex_attention", causal)["query"].shape, (2, 3, 5, 4))

    def test_cudnns_front_end_makes_one_graph_of_a_shape(self):
        for causal in (False, True):
            self.check("cudnn-frontend", "CudnnGraph", causal)
        kernel = self.kernel("cudnn-frontend")
        for _ in range(2):
            kernel.compute({name: drawn((2, 3, 5, 4)) for name in "qkv"}, self.SHAPE)
        self.assertEqual([name for name, _ in self.calls], ["CudnnGraph"])
        self.assertIn("No execution plans", kernel.supports({**self.SHAPE, "D": 512}))

    def test_cudnns_front_end_writes_f16_from_e4m3(self):
        for causal in (False, True):
            self.assertEqual(self.check("cudnn-frontend", "CudnnGraph", causal, "e4m3")["io_data_type"], "E4M3")
        with unittest.mock.patch.object(CudnnGraph, "sdpa_fp8", side_effect=CudnnNotSupported("only supported on Blackwell")):
            self.assertEqual(self.kernel("cudnn-frontend").supports({**self.SHAPE, "dtype": "e4m3"}), "only supported on Blackwell")

    def test_xformers_gets_what_it_takes(self):
        for causal in (False, True):
            arguments = self.check("xformers", "memory_efficient_attention", causal)
            self.assertEqual(arguments["query"].shape, (2, 5, 3, 4))
            self.assertEqual(isinstance(arguments["attn_bias"], LowerTriangularMask), causal)

    def test_pytorchs_own_backends(self):
        for backend, name in (("default", []), ("flash", ["flash"]), ("cudnn", ["cudnn"]),
                              ("mem-efficient", ["efficient"]), ("math", ["math"])):
            self.chosen.clear()
            for causal in (False, True):
                arguments = self.check(backend, "scaled_dot_product_attention", causal)
                self.assertEqual(arguments["query"].shape, (2, 3, 5, 4))
            self.assertEqual(self.chosen, name * 2)

    def test_what_a_package_cannot_do_is_said_in_its_words(self):
        kernel = self.kernel("flash-attn")
        self.assertIsNone(kernel.supports(self.SHAPE))
        self.assertEqual(kernel.supports({**self.SHAPE, "dtype": "f32"}),
                         "FlashAttention only support fp16 and bf16 data type")
        self.assertEqual(self.kernel("flash-attn-4").supports({**self.SHAPE, "dtype": "f32"}), "inputs must be float16 or bfloat16")
        self.assertIn("No operator found", self.kernel("xformers").supports({**self.SHAPE, "D": 256}))
        self.assertEqual(kernel.supports({**self.SHAPE, "dtype": "e4m3"}), "dtype e4m3 is not supported")
        self.assertIsNone(self.kernel("flash-attn-3").supports({**self.SHAPE, "dtype": "e4m3"}))

    def test_versions_are_told(self):
        for backend, package in (("flash-attn", {"flash_attn": "2.8.3"}), ("xformers", {"xformers": "0.0.33"}),
                                 ("flash-attn-4", {"flash_attn": "0.1.0"}),
                                 ("flash-attn-3", {"flash_attn_interface": "unknown"}), ("math", {}), ("flex", {}),
                                 ("cudnn-frontend", {"cudnn": "91900", "cudnn_frontend": "1.23.0"})):
            self.assertEqual(self.kernel(backend).environment(),
                             {"pytorch": "2.11.0", "cuda": "13.0", "method": "graph", "cudnn": "91900",
                              "backend": backend, **package})

    def test_what_is_missing_is_refused(self):
        for missing, backend in (("flash_attn", "flash-attn"), ("flash_attn_interface", "flash-attn-3"),
                                 ("cudnn", "cudnn-frontend"), ("xformers", "xformers"), ("torch", "math")):
            with self.subTest(missing), unittest.mock.patch.dict(sys.modules):
                del sys.modules[missing]
                if importable(missing):
                    self.skipTest(missing + " is installed here")
                with self.assertRaisesRegex(Refused, "has no module '%s'" % missing):
                    self.kernel(backend)

    def test_what_cannot_be_loaded_is_refused(self):
        self.put({"xformers.ops": None})  # the import then fails
        with self.assertRaisesRegex(Refused, "cannot load 'xformers.ops': "):
            self.kernel("xformers")
        sys.modules["torch"].cuda.is_available = lambda: False
        with self.assertRaisesRegex(Refused, "PyTorch 2.11.0 sees no GPU"):
            self.kernel("math")


def importable(name):
    return pawl_torch.importlib.util.find_spec(name) is not None


if __name__ == "__main__":
    import unittest.mock

    unittest.main(verbosity=1)
