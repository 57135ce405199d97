# SPDX-License-Identifier: Apache-2.0
"""A pawl CUDA kernel plug-in, loaded by ctypes, called on torch tensors. The structs mirror include/pawl/*.h."""
import ctypes

import torch

ABI_VERSION = 1
F32, F16, BF16, E4M3, I32 = 2, 3, 4, 5, 6
DTYPES = {torch.float32: F32, torch.float16: F16, torch.bfloat16: BF16, torch.float8_e4m3fn: E4M3, torch.int32: I32}
IN, OUT = 1, 2


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("role", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("size", ctypes.c_int64 * 6), ("stride", ctypes.c_int64 * 6)]


class Dim(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class Shape(ctypes.Structure):
    _fields_ = [("dims", ctypes.POINTER(Dim)), ("count", ctypes.c_int32), ("dtype", ctypes.c_int32)]


class Launch(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("shape", ctypes.POINTER(Shape)),
                ("tensors", ctypes.POINTER(Tensor)), ("tensor_count", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t), ("stream", ctypes.c_void_p)]


class Kernel(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("struct_size", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("operator_name", ctypes.c_char_p), ("device", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("supports", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Shape))),
                ("launch", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Launch))),
                ("workspace_bytes", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(Shape))),
                ("error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int))]


def make_shape(b, h, s, d, causal, dtype, key_heads=None):
    values = {"B": b, "H": h, "S": s, "D": d, "causal": int(causal)}
    if key_heads is not None:  # grouped_attention
        values |= {"KV": key_heads, "varlen": 1}
    dims = (Dim * len(values))(*(Dim(name.encode(), value) for name, value in values.items()))
    return Shape(dims, len(values), DTYPES[dtype])


class Plugin:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.pawl_kernel_entry.restype = ctypes.POINTER(Kernel)
        self.kernel = self.library.pawl_kernel_entry().contents
        if self.kernel.abi_version != ABI_VERSION:
            raise RuntimeError(f"{path}: ABI version {self.kernel.abi_version}, wanted {ABI_VERSION}")
        self.name = self.kernel.name.decode()
        self.grouped = self.kernel.operator_name == b"grouped_attention"

    def refuses(self, b, h, s, d, causal, dtype):
        """None, or why the plug-in does not take this shape."""
        reason = self.kernel.supports(make_shape(b, h, s, d, causal, dtype))
        return reason.decode() if reason else None

    def splits(self, b, h, s, d, causal, dtype):
        """Whether a launch leaves partial results in a workspace."""
        return not self.refuses(b, h, s, d, causal, dtype) and self.workspace_bytes(make_shape(b, h, s, d, causal, dtype)) > 0

    def workspace_bytes(self, shape):
        return self.kernel.workspace_bytes(shape) if self.kernel.workspace_bytes else 0

    def prepare(self, q, k, v, o, causal, lengths=None):
        """A function of no arguments that enqueues one call on torch's current stream. lengths: of the batch rows, for a
        kernel of grouped_attention."""
        b, h, s, d = q.shape
        shape = make_shape(b, h, s, d, causal, q.dtype, k.shape[1] if self.grouped else None)
        given = [(q, IN), (k, IN), (v, IN), (o, OUT)] + ([(lengths, IN)] if self.grouped else [])
        tensors = (Tensor * len(given))()
        for slot, (t, role) in enumerate(given):
            size = (ctypes.c_int64 * 6)(*t.shape)
            stride = (ctypes.c_int64 * 6)(*t.stride())
            tensors[slot] = Tensor(t.data_ptr(), DTYPES[t.dtype], role, t.dim(), 0, size, stride)
        bytes_needed = self.workspace_bytes(shape)
        workspace = torch.full((max(bytes_needed, 1),), 0xff, dtype=torch.uint8, device=q.device)  # NaN in each float
        launch = Launch(ctypes.sizeof(Launch), 1, ctypes.pointer(shape), tensors, len(given), 0,
                        workspace.data_ptr(), bytes_needed, None)
        keep = (shape, tensors, workspace, q, k, v, o, lengths)
        start, reference = self.kernel.launch, ctypes.byref(launch)

        def call(_keep=keep):
            launch.stream = torch.cuda.current_stream().cuda_stream
            status = start(reference)
            if status:
                words = self.kernel.error(status) if self.kernel.error else b"?"
                raise RuntimeError(f"{self.name}: launch failed: {status} {words.decode()}")
        return call
