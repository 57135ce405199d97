# SPDX-License-Identifier: Apache-2.0
"""NVRTC and the CUDA driver through ctypes: nothing but Python, the driver and libnvrtc is needed."""

import ctypes
import glob
import os
import pathlib
import sys

MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76  # CUdevice_attribute
MOST_DYNAMIC_SHARED = 8  # CUfunction_attribute
P, I, U, Z, L = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_uint64
OUT = ctypes.POINTER

NVRTC = {
    "nvrtcVersion": (OUT(I), OUT(I)),
    "nvrtcCreateProgram": (OUT(P), ctypes.c_char_p, ctypes.c_char_p, I, P, P),
    "nvrtcCompileProgram": (P, I, OUT(ctypes.c_char_p)),
    "nvrtcGetProgramLogSize": (P, OUT(Z)),
    "nvrtcGetProgramLog": (P, ctypes.c_char_p),
    "nvrtcGetCUBINSize": (P, OUT(Z)),
    "nvrtcGetCUBIN": (P, ctypes.c_char_p),
    "nvrtcDestroyProgram": (OUT(P),),
}
DRIVER = {
    "cuDriverGetVersion": (OUT(I),),
    "cuInit": (U,),
    "cuGetErrorName": (I, OUT(ctypes.c_char_p)),
    "cuDeviceGet": (OUT(I), I),
    "cuDeviceGetName": (ctypes.c_char_p, I, I),
    "cuDeviceGetAttribute": (OUT(I), I, I),
    "cuDevicePrimaryCtxRetain": (OUT(P), I),
    "cuCtxSetCurrent": (P,),
    "cuCtxSynchronize": (),
    "cuMemAlloc_v2": (OUT(L), Z),
    "cuMemFree_v2": (L,),
    "cuMemsetD32_v2": (L, U, Z),
    "cuMemsetD32Async": (L, U, Z, P),
    "cuMemcpyDtoH_v2": (P, L, Z),
    "cuMemcpyDtoD_v2": (L, L, Z),
    "cuModuleLoadData": (OUT(P), ctypes.c_char_p),
    "cuModuleUnload": (P,),
    "cuModuleGetFunction": (OUT(P), P, ctypes.c_char_p),
    "cuFuncSetAttribute": (P, I, I),
    "cuLaunchKernel": (P, U, U, U, U, U, U, U, P, P, P),
    "cuEventCreate": (OUT(P), U),
    "cuEventRecord": (P, P),
    "cuEventElapsedTime": (OUT(ctypes.c_float), P, P),
}


class CudaError(Exception):
    pass


def folders():
    yield from filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    for pattern in ("lib64", "lib", "targets/*/lib"):
        yield from sorted(glob.glob(f"/usr/local/cuda*/{pattern}"), reverse=True)
    for path in [*sys.path, *glob.glob(f"{sys.prefix}/lib/python3*/site-packages")]:
        yield from glob.glob(f"{path}/nvidia/*/lib")
    yield from ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64")


def load(names, functions):
    """The first library of these names that there is, from where the system looks or from the folders."""
    places = list(folders())
    for path in [path for name in names for path in (name, *(f"{place}/{name}" for place in places))]:
        try:
            if "nvrtc" in path and "/" in path:  # it looks for its built-ins by name alone
                for builtins in glob.glob(f"{pathlib.Path(path).parent}/libnvrtc-builtins.so.[0-9]*"):
                    ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
            library = ctypes.CDLL(path)
            break
        except OSError:
            continue
    else:
        raise CudaError(f"no {names[0]} found; set LD_LIBRARY_PATH to its folder")
    for name, types in functions.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, ctypes.c_int
    return library


class Compiler:
    """Compiles CUDA C++ to a cubin."""

    def __init__(self, arch):
        self.nvrtc = load(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"], NVRTC)
        self.arch = arch

    def version(self):
        major, minor = I(), I()
        if status := self.nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)):
            raise CudaError(f"NVRTC has no version: error {status}")
        return f"{major.value}.{minor.value}"

    def compile(self, source, macros):
        """The cubin; a CudaError has the log."""
        options = [f"--gpu-architecture={self.arch}", "--std=c++17"]
        options += [f"-D{key}={value}" for key, value in macros.items()]
        words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        program, size = P(), Z()
        if self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None):
            raise CudaError("NVRTC has no program")
        try:
            if status := self.nvrtc.nvrtcCompileProgram(program, len(options), words):
                self.nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
                log = ctypes.create_string_buffer(size.value + 1)
                self.nvrtc.nvrtcGetProgramLog(program, log)
                raise CudaError(log.value.decode(errors="replace").strip() or f"NVRTC error {status}")
            self.nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
            cubin = ctypes.create_string_buffer(size.value)
            if status := self.nvrtc.nvrtcGetCUBIN(program, cubin):
                raise CudaError(f"no cubin: NVRTC error {status}")
            return cubin.raw
        finally:
            self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


class Arguments:
    """Values of a launch, alive as long as it."""

    def __init__(self, *values):
        self.values = [value if isinstance(value, ctypes._SimpleCData) else L(value) for value in values]
        self.pointers = (P * len(values))(*(ctypes.addressof(value) for value in self.values))


class Gpu:
    def __init__(self, ordinal):
        self.cuda = load(["libcuda.so.1"], DRIVER)
        self.call("cuInit", 0)
        device, context = I(), P()
        self.call("cuDeviceGet", ctypes.byref(device), ordinal)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(200)
        self.call("cuDeviceGetName", name, 200, device)
        self.name = name.value.decode()

        def attribute(which):
            value = I()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), which, device)
            return value.value

        self.multiprocessors = attribute(MULTIPROCESSORS)
        major, minor = attribute(MAJOR), attribute(MINOR)
        self.arch = f"sm_{major}{minor}{'a' if major >= 9 else ''}"

    def call(self, name, *values):
        if status := getattr(self.cuda, name)(*values):
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(status, ctypes.byref(text))
            raise CudaError(f"{name}: {(text.value or b'?').decode()} ({status})")

    def version(self):
        """The CUDA version of the driver."""
        version = I()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return f"{version.value // 1000}.{version.value % 1000 // 10}"

    def allocate(self, size):
        pointer = L()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), size)
        return pointer.value

    def free(self, pointer):
        self.call("cuMemFree_v2", pointer)

    def fill(self, pointer, value, count):
        self.call("cuMemsetD32_v2", pointer, value, count)

    def module(self, cubin):
        module = P()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def function(self, module, name, shared=0):
        function = P()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, MOST_DYNAMIC_SHARED, shared)
        return function

    def launch(self, function, grid, block, shared, arguments):
        self.call("cuLaunchKernel", function, *grid, *block, shared, None, arguments.pointers, None)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def read_int(self, pointer):
        value = U()
        self.call("cuMemcpyDtoH_v2", ctypes.byref(value), pointer, 4)
        return value.value

    def event(self):
        event = P()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def record(self, event):
        self.call("cuEventRecord", event, None)

    def milliseconds(self, begin, end):
        time = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(time), begin, end)
        return time.value
